// Errors that ask for another try, and how long it waits.
import fc from "fast-check"
import { expect, test } from "vitest"
import { backoffOf, RetryableError } from "./retryable-error.ts"

const delays = (error: RetryableError, retries: number, dice = 0.5) =>
  Array.from({ length: retries }, (_, spent) => backoffOf(error, () => dice)(spent))

test("A-27: a retryable error carries its base delay, longest delay and jitter", () => {
  const error = new RetryableError("the bank is closed", { baseDelay: "PT1M", maxDelay: 120_000, jitterFactor: 0.5 })
  expect(error).toMatchObject({ message: "the bank is closed", baseDelayMs: 60_000, maxDelayMs: 120_000 })
  expect(error.jitterFactor).toBe(0.5)
  expect(error).toBeInstanceOf(Error)
})

test("A-29: what it does not say is 30 s, 1 h and 0.2", () => {
  const { baseDelayMs, maxDelayMs, jitterFactor, wakeOn } = new RetryableError("later")
  expect({ baseDelayMs, maxDelayMs, jitterFactor, wakeOn }).toEqual({
    baseDelayMs: 30_000,
    maxDelayMs: 3_600_000,
    jitterFactor: 0.2,
    wakeOn: undefined,
  })
})

test("A-29: the delay doubles with each retry and stops at the longest", () => {
  expect(delays(new RetryableError("later"), 9)).toEqual(
    [30, 60, 120, 240, 480, 960, 1920, 3600, 3600].map((seconds) => seconds * 1000),
  )
})

test("A-29: jitter makes a delay up to a fifth shorter or longer", () => {
  const error = new RetryableError("later", { baseDelay: 1000 })
  expect(delays(error, 2, 0)).toEqual([800, 1600])
  expect(delays(error, 2, 1)).toEqual([1200, 2400])
  expect(delays(new RetryableError("later", { baseDelay: 1000, jitterFactor: 0 }), 2, 0)).toEqual([1000, 2000])
})

test("A-29: a base above an hour is not cut by the default of the longest delay", () => {
  expect(delays(new RetryableError("tomorrow", { baseDelay: "P1D" }), 2)).toEqual([86_400_000, 86_400_000])
})

test("A-29: a delay is ten years at most: the database knows no later time", () => {
  const TEN_YEARS_MS = 3653 * 86_400_000
  expect(delays(new RetryableError("never", { baseDelay: 1e300 }), 2)).toEqual([TEN_YEARS_MS, TEN_YEARS_MS])
})

test("A-T9: any backoff at any retry stays within its bounds", () => {
  const options = fc.record({
    baseDelay: fc.integer({ min: 0, max: 1e9 }),
    maxDelay: fc.integer({ min: 0, max: 1e9 }),
    jitterFactor: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  const dice = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(options, fc.integer({ min: 1, max: 100_000 }), dice, (given, retry, random) => {
      const delay = backoffOf(new RetryableError("later", given), () => random)(retry - 1)
      const middle = Math.min(given.baseDelay * 2 ** Math.min(retry - 1, 60), given.maxDelay)
      expect(Number.isSafeInteger(delay)).toBe(true)
      expect(delay).toBeGreaterThanOrEqual(Math.floor(middle * (1 - given.jitterFactor)))
      expect(delay).toBeLessThanOrEqual(Math.ceil(middle * (1 + given.jitterFactor)))
    }),
  )
})

test("A-35: it can name the event that makes waiting pointless, and keeps its cause", () => {
  const cause = new Error("404")
  const error = new RetryableError("no account yet", { wakeOn: "account-7", cause })
  expect(error.wakeOn).toBe("account-7")
  expect(error.cause).toBe(cause)
})

test.each([
  [{ baseDelay: "30 s" }, "baseDelay of a RetryableError must be milliseconds or a duration, not 30 s"],
  [{ baseDelay: -1 }, "baseDelay of a RetryableError must be milliseconds"],
  [{ maxDelay: Number.NaN }, "maxDelay of a RetryableError must be milliseconds"],
  [{ jitterFactor: 2 }, "jitterFactor of a RetryableError must be from 0 to 1, not 2"],
  [{ wakeOn: "" }, "wakeOn of a RetryableError must be a linking id"],
])("A-27: %j is refused", (options, message) => {
  expect(() => new RetryableError("later", options)).toThrow(message)
})
