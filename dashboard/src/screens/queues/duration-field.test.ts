import { expect, test } from "vitest"
import { isoDuration, typedDuration } from "./duration-field.tsx"

test.each([
  ["PT30S", "30", "seconds"],
  ["PT1.5S", "1.5", "seconds"],
  ["PT90S", "90", "seconds"],
  ["PT10M", "10", "minutes"],
  ["PT2H", "2", "hours"],
  ["P7D", "7", "days"],
  [undefined, "", "seconds"],
])("%s is shown as %s %s", (iso, amount, unit) => {
  expect(typedDuration(iso)).toEqual({ amount, unit })
})

test("what is typed is ISO-8601 for the engine; nothing is nothing", () => {
  expect(isoDuration({ amount: "10", unit: "minutes" })).toBe("PT10M")
  expect(isoDuration({ amount: "", unit: "days" })).toBeUndefined()
  expect(isoDuration({ amount: "-1", unit: "days" })).toBeUndefined()
})
