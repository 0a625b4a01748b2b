import { expect, test } from "vitest"
import { unprocessable } from "../../support/errors.ts"
import { cutPage, readCursor } from "./cursor.ts"

const asNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)
const cut = (rows: readonly number[]) => cutPage(rows, 2, String)

test("a page with a row more than it holds ends in the cursor of its last row", () => {
  const { shown, next } = cut([7, 8, 9])
  expect(shown).toEqual([7, 8])
  expect(readCursor(next.nextCursor!, asNumber)).toBe(8)
})

test.each([[[]], [[7]], [[7, 8]]])("a page of %j is the last one", (rows) => {
  expect(cut(rows)).toEqual({ shown: rows, next: {} })
})

test("a cursor that the list has never written is refused, in the words of the route", () => {
  const read = (refuse?: typeof unprocessable) => () => readCursor("bm90LW9uZQ", asNumber, refuse)
  expect(read()).toThrow(expect.objectContaining({ code: "bad-request" }))
  expect(read(unprocessable)).toThrow(expect.objectContaining({ code: "unprocessable" }))
})
