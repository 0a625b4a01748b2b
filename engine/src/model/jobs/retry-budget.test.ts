// A storm of retries in the model.
import { expect, test } from "vitest"
import { RetryBudget } from "./retry-budget.ts"

/** How many of the retries fall into each second. */
function perSecond(delays: readonly number[]): number[] {
  const counts: number[] = []
  for (const delay of delays) counts[Math.floor(delay / 1_000)] = (counts[Math.floor(delay / 1_000)] ?? 0) + 1
  return counts.map((count) => count ?? 0)
}

test("F62: with nothing succeeding, thousands of failures come back a few at a time, and all of them come back", () => {
  const budget = new RetryBudget()
  const delays = Array.from({ length: 2_000 }, () => budget.delayMs("mail", 0, 1_000))
  expect(Math.max(...perSecond(delays))).toBeLessThanOrEqual(21)
  expect(delays.every((delay) => delay <= 600_000)).toBe(true)
})

test("F62: a type that succeeds otherwise may retry a tenth of that, and other types are not held up", () => {
  const budget = new RetryBudget()
  for (let second = 0; second < 60; second++) budget.succeeded("busy", 1_000, second * 1_000)
  const delays = Array.from({ length: 1_000 }, () => budget.delayMs("busy", 0, 60_000))
  expect(perSecond(delays)[1]).toBeGreaterThan(80)
  expect(budget.delayMs("other", 0, 60_000)).toBe(0)
})

test("a delay that is longer than the wait for room stands", () => {
  expect(new RetryBudget().delayMs("mail", 5_000, 0)).toBe(5_000)
})
