// How a run is parked that waits for several things at once.
import { expect, test } from "vitest"
import { type OpenWait, park } from "./wait-elements.ts"

const wait = (leftMs: number | null): OpenWait => ({
  step: { name: "wait", status: "WAITING", value: null, startedAt: 0 } as OpenWait["step"],
  leftMs,
})

test("L1: it is woken when the first of its waits is over", () => {
  expect(park([wait(5_000), wait(null), wait(3_000)], []).delayMs).toBe(3_000)
})

test("it is left alone where none of its waits ends by time", () => {
  expect(park([wait(null), wait(null)], []).delayMs).toBeNull()
})
