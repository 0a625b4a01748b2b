// What the tables say: which way a figure is good, and what an item costs.
import assert from "node:assert/strict"
import { test } from "node:test"
import { BEFORE } from "../contestants/index.mjs"
import { workloads } from "../workloads/index.mjs"
import { floors } from "./floors.mjs"
import { METRICS } from "./metrics.mjs"
import { changesTable, figuresTable } from "./table.mjs"

const result = (workload, contestant, figures) => ({ workload, contestant, round: 1, figures, fsyncMs: [0.1, 0.1] })

test("every workload has figures, and one that a floor bounds from above is one of which less is better", () => {
  assert.deepEqual(Object.keys(METRICS).sort(), Object.keys(workloads).sort())
  for (const { workload, rules } of floors) {
    for (const { metric, atLeast, atMost = Infinity, below = Infinity } of rules) {
      const shown = METRICS[workload].find((each) => each.metric === metric)
      const bounded = Math.min(atMost, below) < Infinity
      if (shown && bounded !== (atLeast !== undefined)) assert.equal(shown.less, bounded, `${workload}: ${metric}`)
    }
  }
})

test("what an item costs is shown for Node and for the store, beside the rate", () => {
  const page = figuresTable([result("drain", "millrace", { perS: 1000, nodeUs: 19.5, storeUs: 40.25, cpuUs: 59.75 })])
  assert.match(page, /CPU µs per item, Node \+ store/)
  assert.match(page, /1,000\/s .*\| 19\.5 \+ 40\.25 \|/)
})

test("beside an earlier build each workload has its CPU: per item where items are counted, else all of it, once", () => {
  const beside = (workload, then, now) =>
    changesTable([result(workload, BEFORE, then), result(workload, "millrace", now)])
  const drain = beside(
    "drain",
    { perS: 10, nodeUs: 20, storeUs: 30, cpuUs: 50 },
    { perS: 10, nodeUs: 10, storeUs: 33, cpuUs: 43 },
  )
  assert.match(drain, /nodeUs .*better \|\n.*storeUs .*WORSE/)
  assert.doesNotMatch(drain, /cpuS/)
  const steady = beside("steady", { cpuS: 2 }, { cpuS: 1 })
  assert.equal(steady.match(/cpuS/g).length, 1)
  assert.match(beside("ui-watchers", { ratio: 1 }, { ratio: 2 }), /WORSE/)
})
