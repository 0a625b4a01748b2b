// How PostgreSQL's values become ours, or a caller's.
import pg from "pg"

/** The driver's own parsers: a timestamp becomes a Date, and JSON is parsed. */
export const DRIVER_TYPES = { getTypeParser: pg.types.getTypeParser }

// The rows of a batch carry the same few times over and over: the last one is remembered.
let lastText = ""
let lastParsed = Number.NaN

/** `2026-11-15 09:16:45.123456+00` → epoch milliseconds. */
export function parseTimestamp(text: string): number {
  if (text === lastText) return lastParsed
  lastText = text
  const iso = `${text.slice(0, 10)}T${text.slice(11)}`
  lastParsed = Date.parse(/[+-]\d\d$/.test(iso) ? `${iso}:00` : iso)
  return lastParsed
}

/** A step has begun at one moment and ended at another, and a batch of a hundred has a handful of both. A power of two. */
const REMEMBERED = 64
const times = new Float64Array(REMEMBERED).fill(Number.NaN)
const written = Array<string>(REMEMBERED).fill("")

/** Epoch milliseconds → what a timestamptz parameter takes. */
export function timestamp(epochMs: number): string {
  const place = epochMs & (REMEMBERED - 1)
  if (times[place] !== epochMs) {
    written[place] = new Date(epochMs).toISOString()
    times[place] = epochMs
  }
  return written[place] as string
}
