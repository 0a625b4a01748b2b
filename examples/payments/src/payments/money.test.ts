// Amounts, from what comes in to what is stored.
import { expect, test } from "vitest"
import { decimal, minorUnits } from "./money.ts"

test.each([
  ["12.50", 1250n],
  ["12.5", 1250n],
  ["12", 1200n],
  ["0.01", 1n],
  ["9999999999.99", 999_999_999_999n],
  [1250, 1250n],
])("F-01: %j is so many minor units", (amount, minor) => {
  expect(minorUnits(amount)).toBe(minor)
})

test.each(["0", "-1", "12.345", "1e3", "", " 1", "10000000000", "NaN", 0, -5, 12.5, Number.NaN, null, undefined, {}])(
  "F-01, F-X8: %j is no amount; a number with a fraction least of all",
  (amount) => {
    expect(minorUnits(amount)).toBeUndefined()
  },
)

test("F-X8: amounts that floats cannot hold are kept to the cent", () => {
  expect(decimal(minorUnits("9007199254.93") as bigint)).toBe("9007199254.93")
  expect(decimal((minorUnits("0.10") as bigint) + (minorUnits("0.20") as bigint))).toBe("0.30")
})
