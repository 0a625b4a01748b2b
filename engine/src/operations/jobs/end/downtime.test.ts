// When nobody was there.
import { expect, test } from "vitest"
import { Downtime } from "./downtime.ts"

test("F23, D-32: leases that ended while no process gave a sign of life are covered, and those that end shortly after", () => {
  const downtime = new Downtime()
  downtime.observe(100_000, 40_000)
  expect([39_999, 40_000, 100_000, 110_000, 110_001].map((at) => downtime.covers(at))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
})

test("D-32: a process that is alone and has said goodbye leaves nobody to ask: all that ended before the next start is covered", () => {
  const downtime = new Downtime()
  downtime.observe(100_000, null)
  expect(downtime.covers(1)).toBe(true)
})

test("while somebody beats once a second there is no downtime", () => {
  const downtime = new Downtime()
  for (let at = 1_000_000; at < 1_060_000; at += 1_000) downtime.observe(at, at - 1_000)
  expect(downtime.covers(1_030_000)).toBe(false)
})
