import { expect, test } from "vitest"
import { faultsOf, newMarks, typedOf } from "./marks.ts"

const mark = { high: 10, low: 2 }
const marks = { critical: mark, high: mark, normal: mark, total: { high: 30, low: 6 } }

test("D-T4: the low mark is below the high one", () => {
  expect(faultsOf({ high: "10", low: "9" })).toEqual({})
  expect(faultsOf({ high: "10", low: "10" })).toEqual({ low: "must be below the high mark" })
})

test("marks are whole numbers within what the engine takes", () => {
  expect(faultsOf({ high: "", low: "1.5" })).toEqual({ high: "a whole number, please", low: "a whole number, please" })
  expect(faultsOf({ high: "1", low: "0" })).toEqual({ high: "at least 2", low: "at least 1" })
  expect(faultsOf({ high: "1000000001", low: "-1" })).toEqual({
    high: "at most a billion",
    low: "a whole number, please",
  })
})

test("only the gates that have other marks are sent", () => {
  expect(newMarks(typedOf(marks), marks)).toEqual({})
  const typed = { ...typedOf(marks), normal: { high: "12", low: "2" } }
  expect(newMarks(typed, marks)).toEqual({ normal: { high: 12, low: 2 } })
})
