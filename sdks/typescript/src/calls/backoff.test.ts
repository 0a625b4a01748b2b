// C-111: the backoff helper.
import fc from "fast-check"
import { expect, test } from "vitest"
import { backoffMs } from "./backoff.ts"

const middle = () => 0.5

test("C-111: doubles from 100 ms", () => {
  expect([1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, middle))).toEqual([100, 200, 400, 800, 1600])
})

test("C-111: an attempt of 0 or less counts as the first", () => {
  expect([0, -1, -1000, Number.NaN].map((attempt) => backoffMs(attempt, middle))).toEqual([100, 100, 100, 100])
})

test("C-111: the jitter is 20 % either way", () => {
  expect(backoffMs(1, () => 0)).toBeCloseTo(80)
  expect(backoffMs(1, () => 0.999_999)).toBeCloseTo(120, 3)
})

test("C-111, C-T8: never negative, never over 30 s, within 20 % of the plain value", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: -10, max: 2000 }), random, (attempt, r) => {
      const ms = backoffMs(attempt, () => r)
      const plain = Math.min(30_000, 100 * 2 ** (Math.max(1, attempt) - 1))
      expect(ms).toBeGreaterThanOrEqual(plain * 0.8 - 1e-6)
      expect(ms).toBeLessThanOrEqual(Math.min(30_000, plain * 1.2 + 1e-6))
    }),
  )
})
