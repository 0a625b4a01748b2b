// Who is left out, and what is said about it.
import assert from "node:assert/strict"
import { test } from "node:test"
import { floors } from "../report/floors.mjs"
import { workloads } from "../workloads/index.mjs"
import { contestants, whyNot } from "./index.mjs"

test("a contestant whose server is not installed is skipped by name", () => {
  const reason = whyNot({ files: [], command: "no-such-server" }, 22)
  assert.match(reason, /no-such-server/)
  assert.equal(whyNot({ files: [], command: "node" }, 22), undefined)
})

test("every workload exists, has a floor and is run by Millrace, and whoever a floor names takes part", () => {
  const takesPart = (name, workload) => contestants.find((one) => one.name === name)?.workloads.includes(workload)
  assert.deepEqual(
    floors.map((floor) => floor.workload),
    Object.keys(workloads),
  )
  for (const { workload, rules } of floors) {
    for (const name of ["millrace", ...rules.flatMap((rule) => rule.against ?? [])]) {
      assert.ok(takesPart(name, workload), `${name} runs ${workload}`)
    }
  }
})
