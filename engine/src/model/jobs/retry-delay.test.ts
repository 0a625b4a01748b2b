// How long a failed attempt waits.
import fc from "fast-check"
import { expect, test } from "vitest"
import { type CompiledRetryPolicy, retryDelayMs } from "./retry-delay.ts"

const policy: CompiledRetryPolicy = { retries: 5, baseMs: 100, factor: 2, capMs: 1_000, jitter: "none" }
const delays = (one: CompiledRetryPolicy, random = () => 0.5) =>
  Array.from({ length: one.retries }, (_, spent) => retryDelayMs(one, one.retries - spent, random))

test("C-67: the delay grows from the base by the factor and stops at the cap", () => {
  expect(delays(policy)).toEqual([100, 200, 400, 800, 1_000])
})

test("C-67: a policy without a base retries at once", () => {
  expect(delays({ retries: 3, baseMs: 0, factor: 1, capMs: 0, jitter: "none" })).toEqual([0, 0, 0])
})

test("a base of zero is at once, however many retries there were and however fast it would grow", () => {
  const zero: CompiledRetryPolicy = { retries: 10_000, baseMs: 0, factor: 100, capMs: 60_000, jitter: "full" }
  expect(delays(zero).filter((delay) => delay !== 0)).toEqual([])
})

test("a number of retries that was lowered since does not shrink the base", () => {
  expect(retryDelayMs(policy, 50, () => 0)).toBe(100)
})

test("full jitter takes any part of the delay, partial jitter the upper half", () => {
  const first = (jitter: "full" | "partial", dice: number) => retryDelayMs({ ...policy, jitter }, 5, () => dice)
  expect([first("full", 0), first("full", 0.5), first("full", 0.999)]).toEqual([0, 50, 100])
  expect([first("partial", 0), first("partial", 0.5), first("partial", 0.999)]).toEqual([50, 75, 100])
})

test("any policy at any retry gives a whole number between zero and the cap", () => {
  const anyPolicy = fc
    .record({
      retries: fc.integer({ min: 1, max: 10_000 }),
      baseMs: fc.integer({ min: 0, max: 1e9 }),
      factor: fc.double({ min: 1, max: 100, noNaN: true }),
      more: fc.nat({ max: 1e9 }),
      jitter: fc.constantFrom("none" as const, "partial" as const, "full" as const),
    })
    .map(({ more, ...rest }) => ({ ...rest, capMs: rest.baseMs + more }))
  fc.assert(
    fc.property(anyPolicy, fc.nat(), fc.double({ min: 0, max: 0.999999, noNaN: true }), (one, n, dice) => {
      const delay = retryDelayMs(one, 1 + (n % one.retries), () => dice)
      expect(Number.isSafeInteger(delay) && delay >= 0 && delay <= one.capMs).toBe(true)
    }),
  )
})
