import { expect, test } from "vitest"
import { momentOf, wallTimeOf } from "./moment.ts"

test("a moment goes through a date input and comes back the same, whatever the time zone", () => {
  const moment = "2025-07-01T22:30:00.000Z"
  expect(momentOf(wallTimeOf(moment))).toBe(moment)
  const local = new Date(moment)
  expect(wallTimeOf(moment).slice(11)).toBe(
    `${String(local.getHours()).padStart(2, "0")}:${String(local.getMinutes()).padStart(2, "0")}`,
  )
})

test("what is no moment is none", () => {
  for (const value of ["", "yesterday"]) {
    expect(momentOf(value)).toBeUndefined()
    expect(wallTimeOf(value)).toBe("")
  }
  expect(wallTimeOf(undefined)).toBe("")
})
