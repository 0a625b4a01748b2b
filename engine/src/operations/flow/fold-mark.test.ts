// When the mark may move: past what no open transaction can still bring, or after a long wait for one.
import { expect, test } from "vitest"
import { moveMark, UNMARKED } from "./fold-mark.ts"

type Numbers = [lowest: number | null, highest: number | null, xmin: number, xmax: number]
const taken = (...[lowest, highest, xmin, xmax]: Numbers) => ({ from: 0, lowest, highest, xmin, xmax })

const first = moveMark(UNMARKED, taken(1, 9, 100, 105), 0)

test("the first fold only remembers how far it came", () => {
  expect(first).toEqual({ safe: 0, after: 0, reached: 9, candidate: { id: 9, xmax: 105, sinceMs: 0 } })
})

test("it stays while a transaction that was open then has not ended", () => {
  expect(moveMark(first, taken(10, 12, 104, 110), 1_000)).toEqual({ ...first, reached: 12 })
})

test("it moves when all of them have, and takes the next candidate", () => {
  const moved = { safe: 9, after: 9, reached: 12, candidate: { id: 12, xmax: 110, sinceMs: 1_000 } }
  expect(moveMark(first, taken(10, 12, 105, 110), 1_000)).toEqual(moved)
  expect(moveMark(first, taken(null, null, 105, 110), 1_000)).toEqual({ safe: 9, after: 9, reached: 9 })
})

test("it stays when a lower one came: another may be beside it", () => {
  expect(moveMark(first, taken(4, 12, 120, 121), 1_000)).toEqual({ ...first, reached: 12 })
})

test("behind a transaction that stays open, reading moves on as far as the fold before, and what is safe does not", () => {
  const waited = moveMark(first, taken(10, 12, 104, 200), 9_999)
  const moved = moveMark(waited, taken(13, 20, 104, 300), 10_000)
  expect(moved).toEqual({ ...first, after: 12, reached: 20 })
  expect(moveMark(moved, taken(21, 30, 104, 400), 10_250)).toEqual({ ...first, after: 20, reached: 30 })
  // Below where a fold began there may be some that it did not see.
  expect(moveMark(moved, { ...taken(21, 30, 105, 400), from: 12 }, 10_250)).toMatchObject({ safe: 0, after: 20 })
  expect(moveMark(moved, taken(21, 30, 105, 400), 10_250)).toMatchObject({ safe: 9, after: 12, candidate: { id: 30 } })
})

test("a quiet engine catches up: what is safe comes to where the folds have come", () => {
  const ahead = { safe: 0, after: 20, reached: 30, candidate: { id: 9, xmax: 105, sinceMs: 0 } }
  const once = moveMark(ahead, taken(null, null, 200, 200), 20_000)
  expect(once).toMatchObject({ safe: 9, after: 20, candidate: { id: 30, xmax: 200 } })
  expect(moveMark(once, taken(null, null, 200, 200), 30_000)).toEqual({ safe: 30, after: 30, reached: 30 })
})

test("a fold of everything from the start never moves it back", () => {
  const mark = { ...first, safe: 50, after: 60 }
  expect(moveMark(mark, taken(70, 80, 110, 111), 1_000)).toMatchObject({ safe: 50, after: 60, reached: 80 })
})
