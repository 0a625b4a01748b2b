// What CPU per item means.
import assert from "node:assert/strict"
import { test } from "node:test"
import { cpuPerItem, startCpuMeter } from "./cpu.mjs"

test("seconds of CPU become microseconds per item, of Node, of the store and of both", () => {
  assert.deepEqual(cpuPerItem({ node: 0.5, store: 1.5, items: 10_000 }), { nodeUs: 50, storeUs: 150, cpuUs: 200 })
})

test("without a number of items there is no cost per item", () => {
  const read = startCpuMeter(process.pid)
  assert.equal("cpuUs" in read(), false)
  assert.equal("cpuUs" in read(10), true)
})
