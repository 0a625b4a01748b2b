import { expect, test } from "vitest"
import { lastOf, lastsOf, meansOf, pathOf, perSecond } from "./points.ts"

test("counts per step become rates per second", () => {
  expect(perSecond([4, 0, 1], 2)).toEqual([2, 0, 0.5])
})

test("points are put together from the end: the newest is whole, what is left over at the start is not shown", () => {
  expect(meansOf([9, 1, 3, 5, 7], 2)).toEqual([2, 6])
  expect(lastsOf([9, 1, 3, 5, 7], 2)).toEqual([3, 7])
  expect(meansOf([1, 2, 3], 1)).toEqual([1, 2, 3])
  expect(lastsOf([1, 2, 3], 1)).toEqual([1, 2, 3])
  expect([meansOf([], 5), lastsOf([], 5)]).toEqual([[], []])
})

test("means and the times they end at are as many as each other, whatever the length", () => {
  for (let length = 0; length < 40; length++)
    for (const size of [1, 2, 3, 7]) {
      const values = Array.from({ length }, (_, at) => at)
      expect(lastsOf(values, size)).toHaveLength(meansOf(values, size).length)
    }
})

test("the last value that is known", () => {
  expect([lastOf([1, 2, null]), lastOf([null]), lastOf([])]).toEqual([2, null, null])
})

test("a path goes from edge to edge, highest at the top, with a gap where nothing is known", () => {
  expect(pathOf([0, 10, 5], { width: 100, height: 20 })).toBe("M0,20L50,0L100,10")
  expect(pathOf([1, null, 1], { width: 10, height: 4 })).toBe("M0,0M10,0")
  expect(pathOf([0, 0], { width: 10, height: 4 })).toBe("M0,4L10,4")
  expect(pathOf([], { width: 10, height: 4 })).toBe("")
})
