// What plain JavaScript lets a caller write that the compiler would not: refused where it is written, with how it is meant.
import { expect, test } from "vitest"
import { sleep, waitForSignal } from "./elements.ts"

/** As a caller without types calls it. */
const untyped = (call: unknown) => call as (...given: unknown[]) => unknown

test.each<[string, () => unknown, string]>([
  ["a sleep of nothing", () => untyped(sleep)(), 'a sleep does not say how long: write sleep("24h")'],
  ["a sleep of undefined", () => untyped(sleep)(undefined), 'a sleep does not say how long: write sleep("24h")'],
  ["a wait for nothing", () => untyped(waitForSignal)(), 'a wait has no signal: write waitForSignal("approved")'],
  ["a wait without a name", () => waitForSignal(""), 'a wait has no signal: write waitForSignal("approved")'],
])("%s is refused", (_, call, message) => {
  expect(call).toThrow(message)
})
