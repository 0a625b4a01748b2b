// Guessing what a mistyped name was meant to be.
import { expect, test } from "vitest"
import { closestName } from "./closest-name.ts"

const known = ["nextStep", "name", "retry", "retryCount", "id"]

test.each([
  ["nextstep", "nextStep"],
  ["nexStep", "nextStep"],
  ["next_step", "nextStep"],
  ["nmae", "name"],
  ["nam", "name"],
  ["retries", undefined],
  ["retryCuont", "retryCount"],
  ["retrycount", "retryCount"],
  ["ix", "id"],
  ["xx", undefined],
  ["whatever", undefined],
  ["", undefined],
])("C-17: for %j the guess is %s", (name, expected) => expect(closestName(name, known)).toBe(expected))

test("C-17: an endless name is not compared at all", () => {
  expect(closestName("x".repeat(1_000_000), known)).toBeUndefined()
})
