import { expect, test } from "vitest"
import { mendedMarks } from "./mended-marks.ts"

const refused = { id: "a", steps: [{ id: "one", nextStp: "two" }, { id: "two" }] }
const marks = [
  { path: "$.steps[0].nextStp", message: "unknown field" },
  { path: "$.steps[1].type", message: "is missing" },
  { path: "$.steps[1]", message: "leads nowhere" },
]

test("a mark goes when what it speaks of is changed, removed or added; the others stay", () => {
  expect(mendedMarks(marks, refused, refused)).toEqual([])
  const renamed = { ...refused, steps: [{ id: "one", nextStep: "two" }, { id: "two" }] }
  expect(mendedMarks(marks.slice(0, 2), refused, renamed)).toEqual([marks[0]])
  const typed = { ...refused, steps: [refused.steps[0], { id: "two", type: "END" }] }
  expect(mendedMarks(marks.slice(0, 2), refused, typed)).toEqual([marks[1]])
  expect(mendedMarks(marks.slice(0, 2), refused, null)).toEqual([marks[0]])
})

test("a mark of a whole part goes with any change: it may be mended elsewhere", () => {
  expect(mendedMarks(marks, refused, { ...refused, id: "b" })).toEqual([marks[2]])
})
