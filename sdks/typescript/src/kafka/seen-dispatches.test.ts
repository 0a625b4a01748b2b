// How long a dispatch is remembered.
import { expect, test } from "vitest"
import { ManualClock } from "../test-support/manual-clock.ts"
import { SeenDispatches } from "./seen-dispatches.ts"

const MINUTE_MS = 60_000

test("C-112: a dispatch is remembered for ten minutes, and swept each quarter of that", () => {
  const clock = new ManualClock()
  const seen = new SeenDispatches(clock)
  seen.add("a")
  clock.advance(10 * MINUTE_MS - 1)
  expect([seen.has("a"), seen.has("b")]).toEqual([true, false])
  seen.add("b")
  expect(seen.size).toBe(2)
  clock.advance(1)
  expect(seen.has("a")).toBe(false)
  seen.add("c")
  expect(seen.size).toBe(3)
  clock.advance(2.5 * MINUTE_MS)
  seen.add("d")
  expect(seen.size).toBe(3)
})
