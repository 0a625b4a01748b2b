// How a worker stands: alive, at work, or not seen for a while.
import { expect, test } from "vitest"
import type { Worker } from "../../api/workers.ts"
import { stateOf } from "./state.ts"

const NOW = 1_000_000
const worker = (secondsAgo: number | undefined, more: Partial<Worker> = {}): Worker => ({
  workerId: "w",
  inFlight: 0,
  jobTypes: ["a"],
  polling: true,
  ...(secondsAgo === undefined ? {} : { lastSeenAt: new Date(NOW - secondsAgo * 1_000).toISOString() }),
  ...more,
})
const words = (...given: Parameters<typeof worker>) => stateOf(worker(...given), NOW).words

test("one that was seen just now asks for work; one that was not is told by when it was seen, in another colour", () => {
  expect([words(0), words(15), words(16)]).toEqual(["asks for work", "asks for work", "last seen 16 s ago"])
  expect(stateOf(worker(0), NOW).tone).not.toBe(stateOf(worker(16), NOW).tone)
  expect(words(undefined, { polling: false })).toBe("not seen")
})

test("one that has jobs in hand works, whether it asks for more or not", () => {
  expect(words(0, { inFlight: 2 })).toBe("asks for work")
  expect(words(30, { inFlight: 2 })).toBe("works, does not ask")
  expect(words(90, { inFlight: 1, polling: false })).toBe("works, does not ask")
})
