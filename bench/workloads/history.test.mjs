// How the three drains of the history workload become its figures.
import assert from "node:assert/strict"
import { test } from "node:test"
import { combine, parts } from "./history.mjs"

test("it drains with nothing kept, with a tenth and with all of as many as are asked for", () => {
  assert.deepEqual(
    parts({ n: 100, kept: 10_000_000 }).map(({ kept }) => kept),
    [0, 1_000_000, 10_000_000],
  )
})

test("the CPU of an instance is compared, whatever the rates do", () => {
  const part = (cpuUs, perS) => ({
    n: 100,
    kept: 7,
    perS,
    cpuUs,
    nodeUs: cpuUs / 4,
    storeUs: cpuUs * 0.75,
    otherCores: 0,
  })
  const figures = combine([part(80, 10_000), part(82, 9000), part(84, 5000)])
  assert.deepEqual([figures.cpuRatio, figures.tenthRatio, figures.ratio], [1.05, 1.025, 0.5])
  assert.deepEqual([figures.nodeUs, figures.storeUs], [21, 63])
})
