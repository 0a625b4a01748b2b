// Where a page of a list ended, as the opaque text by which the next page begins.
import { badRequest, type EngineError } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"

interface Cut<Row> {
  readonly shown: readonly Row[]
  /** Put into the page as it is: empty on the last one. */
  readonly next: { readonly nextCursor?: string }
}

export const writeCursor = (place: string): string => Buffer.from(place).toString("base64url")

/** `parse` answers undefined for a text that its list has never written. */
export function readCursor<Place>(
  cursor: string,
  parse: (text: string) => Place | undefined,
  refuse: (message: string) => EngineError = badRequest,
): Place {
  const place = parse(Buffer.from(cursor, "base64url").toString())
  if (place === undefined) throw refuse("the cursor is not one of this list; start again without it")
  return place
}

/** Of the rows for a page, and one more where there are more. */
export function cutPage<Row>(rows: readonly Row[], size: number, placeOf: (last: Row) => string): Cut<Row> {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  return { shown, next: rows.length > size && last ? { nextCursor: writeCursor(placeOf(last)) } : {} }
}

/** The place of a list that is in the order of its ids. */
export const parseUlid = (text: string): string | undefined => (isUlid(text) ? text : undefined)

/** Of two ends of a range of ids. */
export const earlier = (a: string, b: string): string => (a < b ? a : b)
