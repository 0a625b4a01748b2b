// Which credentials count as good of late, for how long, and of how many that is known.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { VerifiedCredentials } from "./verified-credentials.ts"

const HOUR_MS = 3_600_000
const MOST = 10_000

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

test("SEC-60: a credential that was good is known for an hour, and for another when it is good again", () => {
  const verified = new VerifiedCredentials()
  verified.note("a", true)
  vi.advanceTimersByTime(HOUR_MS - 1)
  expect(verified.has("a")).toBe(true)
  verified.note("a", true)
  vi.advanceTimersByTime(HOUR_MS - 1)
  expect(verified.has("a")).toBe(true)
  vi.advanceTimersByTime(1)
  expect(verified.has("a")).toBe(false)
})

test("SEC-60: one that was refused is a stranger's from then on", () => {
  const verified = new VerifiedCredentials()
  verified.note("a", true)
  verified.note("a", false)
  expect([verified.has("a"), verified.has("b")]).toEqual([false, false])
})

test("SEC-65: of too many the one that was noted first is forgotten, and no other", () => {
  const verified = new VerifiedCredentials()
  for (let at = 0; at <= MOST; at++) verified.note(String(at), true)
  expect([0, 1, MOST].map((at) => verified.has(String(at)))).toEqual([false, true, true])
})
