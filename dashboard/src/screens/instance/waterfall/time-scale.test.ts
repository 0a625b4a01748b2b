// The axis of the timeline.
import { expect, test } from "vitest"
import { squeezedScale, trueScale, wantsSqueezing } from "./time-scale.ts"

const HOUR = 3_600_000

test("true to scale: places are shares of the time, ticks are round", () => {
  const { at, ticks } = trueScale(1_000, 11_000)
  expect([1_000, 6_000, 11_000, 99_000, 0].map(at)).toEqual([0, 0.5, 1, 1, 0])
  expect(ticks.map(({ label }) => label)).toEqual(["0", "2.0 s", "4.0 s", "6.0 s", "8.0 s", "10 s"])
})

test("an instance that took no time at all has an axis too", () => {
  expect(trueScale(5, 5).at(5)).toBe(0)
  expect(squeezedScale(5, 5, [5, 5]).at(5)).toBe(0)
})

test("squeezed: what took 20 ms is seen beside three days, in the right order", () => {
  const to = 72 * HOUR
  const { at } = squeezedScale(0, to, [0, 20, 40, to - 20])
  const places = [0, 20, 40, to - 20, to].map(at)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places[1]).toBeGreaterThan(0.08)
  expect(places.at(-1)).toBe(1)
  expect(trueScale(0, to).at(40)).toBeLessThan(0.000_001)
})

test("within a stretch time runs evenly", () => {
  const { at } = squeezedScale(0, 100, [40])
  expect(at(20)).toBeCloseTo(at(40) / 2)
})

test("ticks of a squeezed axis do not meet", () => {
  const { ticks } = squeezedScale(
    0,
    1_000,
    Array.from({ length: 500 }, (_, index) => index * 2),
  )
  for (const [index, { at }] of ticks.entries())
    if (index > 0) expect(at - (ticks[index - 1]?.at ?? 0)).toBeGreaterThan(0.1)
})

test("squeezing is for long waits only", () => {
  expect(wantsSqueezing(0, 3 * HOUR, [10, 20, 30, 3 * HOUR - 10])).toBe(true)
  expect(wantsSqueezing(0, 100, [20, 50, 70])).toBe(false)
  expect(wantsSqueezing(0, HOUR, [])).toBe(false)
})
