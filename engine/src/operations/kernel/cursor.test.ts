import fc from "fast-check"
import { expect, test } from "vitest"
import { EngineError, unprocessable } from "../../support/errors.ts"
import { parseExecutionId, ulidAt } from "../../support/ids.ts"
import { cutPage, parseUlid, readCursor, writeCursor } from "./cursor.ts"

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

test("SEC-28: what was written is read again, whatever the place is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (place) => {
      expect(readCursor(writeCursor(place), (text) => text)).toBe(place)
    }),
  )
})

test("SEC-28: any text is a place that the list could have written, or is refused as a bad request", () => {
  const written = fc.integer({ min: 0, max: 2 ** 47 }).map((at) => writeCursor(ulidAt(at)))
  const changed = fc
    .tuple(written, fc.nat(40), fc.string({ maxLength: 2 }))
    .map(([cursor, at, more]) => cursor.slice(0, at) + more + cursor.slice(at + 1))
  const outcome = (cursor: string, parse: (text: string) => unknown) => {
    try {
      return readCursor(cursor, parse)
    } catch (error) {
      if (error instanceof EngineError && error.code === "bad-request") return undefined
      throw error
    }
  }
  fc.assert(
    fc.property(fc.oneof(written, changed, fc.string(), fc.string({ unit: "binary" })), (cursor) => {
      const place = outcome(cursor, parseUlid)
      if (place !== undefined) expect(parseUlid(place as string)).toBe(place)
      outcome(cursor, parseExecutionId)
    }),
    { numRuns: 2_000 },
  )
})
