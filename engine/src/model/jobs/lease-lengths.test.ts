import { expect, test } from "vitest"
import { leaseLengths } from "./lease-lengths.ts"

test("W-03: a lease is four times as long as the one that was lost, up to an hour", () => {
  expect(leaseLengths(30_000)).toEqual([30_000, 120_000, 480_000, 1_920_000, 3_600_000])
  expect(leaseLengths(900_000)).toEqual([900_000, 3_600_000])
})

test("W-03: a lease that is longest from the start does not grow", () => {
  expect(leaseLengths(3_600_000)).toEqual([3_600_000])
})

test("W-03: with three lost leases a handler has 85 times its first one", () => {
  const [a = 0, b = 0, c = 0, d = 0] = leaseLengths(30_000)
  expect((a + b + c + d) / a).toBe(85)
})
