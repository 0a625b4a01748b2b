// How rounds become ratios and ratios become verdicts.
import assert from "node:assert/strict"
import { test } from "node:test"
import { floors } from "./floors.mjs"
import { changeOf, judgeFloor } from "./judge.mjs"

const floorOf = (workload) => floors.find((floor) => floor.workload === workload)
const result = (workload, contestant, round, figures) => ({ workload, contestant, round, figures })

test("a ratio is taken inside each round and the median of the rounds decides", () => {
  const rounds = [
    [900, 100],
    [100, 100],
    [1000, 100],
  ]
  const results = rounds.flatMap(([mine, theirs], k) => [
    result("start", "millrace", k, { perS: mine }),
    result("start", "pg-boss", k, { perS: theirs }),
  ])
  const { checks, verdict } = judgeFloor(floorOf("start"), results)
  assert.deepEqual([checks[0].median, checks[0].least, checks[0].most, verdict], [9, 1, 10, "PASS"])
})

test("one peer that is faster fails the whole floor", () => {
  const results = [
    result("idle", "millrace", 1, { p50Ms: 2, p99Ms: 9 }),
    result("idle", "dbos", 1, { p50Ms: 4, p99Ms: 8 }),
  ]
  assert.equal(judgeFloor(floorOf("idle"), results).verdict, "FAIL")
})

test("a pass names the peers it was not compared with", () => {
  const results = [
    result("steady", "millrace", 1, { p99Ms: 9, cpuS: 1 }),
    result("steady", "restate", 1, { p99Ms: 50, cpuS: 2 }),
  ]
  assert.equal(judgeFloor(floorOf("steady"), results).verdict, "PASS without graphile-worker")
})

test("a floor on Millrace's own figure needs no peer, and none measured is no pass", () => {
  assert.equal(judgeFloor(floorOf("quiet"), [result("quiet", "millrace", 1, { statementsPerS: 2.1 })]).verdict, "FAIL")
  assert.equal(judgeFloor(floorOf("quiet"), []).verdict, "not measured")
})

test("a rate that must be kept fails when it is passed, as when it is not reached", () => {
  const verdict = (ratio) =>
    judgeFloor(floorOf("jobs-pace"), [
      result("jobs-pace", "millrace", 1, { slowRatio: ratio, fastRatio: 1, restInTime: 1 }),
    ]).verdict
  assert.deepEqual([0.94, 0.96, 1.04, 1.06].map(verdict), ["FAIL", "PASS", "PASS", "FAIL"])
})

test("beside an earlier build a change is 5 % in the median, in every round, and better or worse by what the figure means", () => {
  const verdict = (metric, median, least, most) => changeOf(metric, { median, least, most })
  assert.equal(verdict("perS", 1.2, 1.1, 1.3), "better")
  assert.equal(verdict("perS", 0.8, 0.7, 0.9), "WORSE")
  assert.equal(verdict("p50Ms", 1.2, 1.1, 1.3), "WORSE")
  assert.equal(verdict("cpuS", 0.8, 0.7, 0.9), "better")
  assert.equal(verdict("statementsPerS", 1.2, 1.1, 1.3), "WORSE")
  assert.equal(verdict("perS", 0.8, 0.7, 1.01), "as before")
  assert.equal(verdict("perS", 0.96, 0.95, 0.97), "as before")
})
