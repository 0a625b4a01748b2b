// Why something waits, on the page: the engine's words, with times as the reader has them.
import type { wire } from "@millrace/sdk"
import { expect, test } from "vitest"
import { clockTime, fullTime } from "./time.tsx"
import { standingOfKind, stepOf, wordsOf } from "./waiting.ts"

const NOW = new Date(2025, 2, 1, 10, 0).getTime()
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString()
const reason = (kind: string, detail: object): wire.WaitingReason =>
  ({ kind, stepId: "onboarding", since: at(0), detail }) as wire.WaitingReason

test("a run that sleeps is said to sleep, by the clock of the reader; another day has its date", () => {
  const sleeps = (dueAt: string) => wordsOf(reason("sleep", { step: "nap", dueAt }), NOW).headline
  expect(sleeps(at(9))).toBe(`Sleeps until ${clockTime(at(9))} (in 9 min).`)
  expect(sleeps(at(3 * 24 * 60))).toBe(`Sleeps until ${fullTime(at(3 * 24 * 60))} (in 3 d).`)
})

test("a kind that is not known yet is said in the engine's own words", () => {
  expect(wordsOf(reason("moon", { message: "Waits for the full moon." }), NOW).headline).toBe(
    "Waits for the full moon.",
  )
  expect(wordsOf(reason("moon", {}), NOW).headline).toBe("moon")
  expect(standingOfKind("moon").word).toBe("moon")
})

test("what waits is the step of the run where it names one", () => {
  expect(stepOf(reason("sleep", { step: "nap" }))).toBe("nap")
  expect(stepOf(reason("retry", {}))).toBe("onboarding")
})

test("one that sleeps looks calm, one that failed does not", () => {
  expect(["sleep", "retry", "job-leased", "set-aside"].map((kind) => standingOfKind(kind).tone)).toEqual([
    "calm",
    "warn",
    "info",
    "bad",
  ])
})
