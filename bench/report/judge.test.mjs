// How rounds become ratios and ratios become verdicts.
import assert from "node:assert/strict"
import { test } from "node:test"
import { floors } from "./floors.mjs"
import { changeOf, judgeFloor } from "./judge.mjs"

const floorOf = (workload) => floors.find((floor) => floor.workload === workload)
const result = (workload, contestant, round, figures) => ({ workload, contestant, round, figures })

test("a ratio is taken inside each round and the median of the rounds decides", () => {
  const rounds = [
    [1300, 100],
    [100, 100],
    [1400, 100],
  ]
  const results = rounds.flatMap(([mine, theirs], k) => [
    result("start", "millrace", k, { perS: mine }),
    result("start", "pg-boss", k, { perS: theirs }),
  ])
  const { checks, verdict } = judgeFloor(floorOf("start"), results)
  assert.deepEqual([checks[0].median, checks[0].least, checks[0].most, verdict], [13, 1, 14, "PASS"])
})

test("one peer that is faster fails the whole floor", () => {
  const results = [
    result("idle", "millrace", 1, { p50Ms: 1.5, p99Ms: 5 }),
    result("idle", "dbos", 1, { p50Ms: 4, p99Ms: 4 }),
  ]
  assert.equal(judgeFloor(floorOf("idle"), results).verdict, "FAIL")
})

test("a floor with a bound of its own and one beside peers needs both", () => {
  const verdict = (p50Ms) =>
    judgeFloor(floorOf("idle"), [
      result("idle", "millrace", 1, { p50Ms, p99Ms: 5 }),
      result("idle", "restate", 1, { p50Ms: 4, p99Ms: 8 }),
    ]).verdict
  assert.deepEqual([verdict(1.9), verdict(2.1)], ["PASS without graphile-worker, pg-boss, dbos, bullmq-pg", "FAIL"])
})

test("a pass names the peers it was not compared with", () => {
  const results = [
    ...["pg-boss", "dbos", "bullmq-pg", "restate"].map((peer) => result("steady", peer, 1, { p99Ms: 50, cpuS: 2 })),
    result("steady", "millrace", 1, { p99Ms: 7, cpuS: 1 }),
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
  const [more, less] = [false, true].map((isLess) => (median, least, most) => changeOf({ median, least, most }, isLess))
  assert.equal(more(1.2, 1.1, 1.3), "better")
  assert.equal(more(0.8, 0.7, 0.9), "WORSE")
  assert.equal(less(1.2, 1.1, 1.3), "WORSE")
  assert.equal(less(0.8, 0.7, 0.9), "better")
  assert.equal(more(0.8, 0.7, 1.01), "as before")
  assert.equal(more(0.96, 0.95, 0.97), "as before")
})

test("history is judged by the CPU of an instance, with all kept and with a tenth", () => {
  const verdict = (cpuRatio, tenthRatio) =>
    judgeFloor(floorOf("history"), [result("history", "millrace", 1, { cpuRatio, tenthRatio, ratio: 0.5 })]).verdict
  assert.deepEqual([verdict(1.05, 1.02), verdict(1.06, 1), verdict(1, 1.06)], ["PASS", "FAIL", "FAIL"])
})
