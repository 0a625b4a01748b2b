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

/** Expects the rows of a page, and one more row if there is another page. */
export function cutPage<Row>(rows: readonly Row[], size: number, placeOf: (last: Row) => string): Cut<Row> {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  return { shown, next: rows.length > size && last ? { nextCursor: writeCursor(placeOf(last)) } : {} }
}

/** A row of a list whose filter is applied to so many at a time. */
interface LookedAt {
  readonly matches: boolean | null
  /** The last that was looked at: there may be more. It is among the rows also where it does not match. */
  readonly is_last: boolean
}

/** Expects the rows that were looked at. A page may show few of them, or none, and still not be the last one. */
export function cutLooked<Row extends LookedAt>(
  rows: readonly Row[],
  size: number,
  placeOf: (last: Row) => string,
): Cut<Row> {
  const matching = rows.filter(({ matches }) => matches)
  const shown = matching.slice(0, size)
  const goOn = matching.length > size ? shown.at(-1) : rows.find(({ is_last }) => is_last)
  return { shown, next: goOn ? { nextCursor: writeCursor(placeOf(goOn)) } : {} }
}

/** The place of a list that is in the order of its ids. */
export const parseUlid = (text: string): string | undefined => (isUlid(text) ? text : undefined)

/** The smaller of two ids: the ends of a range of ids. */
export const earlier = (a: string, b: string): string => (a < b ? a : b)
