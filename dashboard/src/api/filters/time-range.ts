// Ranges of time that move with the clock, as an address has them: "1h" is the last hour, "over-1h" is what is older than that.
import { type RawSearch, text } from "../search-text.ts"

const SHAPE = /^(over-)?([1-9]\d{0,3})([mhd])$/

const UNITS = {
  m: { ms: 60_000, one: "minute" },
  h: { ms: 3_600_000, one: "hour" },
  d: { ms: 86_400_000, one: "day" },
} as const

interface Bounds {
  readonly after?: string
  readonly before?: string
}

/** What is no range is left out. */
export function timeRange(search: RawSearch, name: string): string | undefined {
  const value = text(search, name)
  return value !== undefined && SHAPE.test(value) ? value : undefined
}

/** The range as moments. It is asked for when the engine is called, so that "the last hour" ends now. */
export function boundsOf(range: string | undefined, now: number): Bounds {
  const parts = partsOf(range)
  if (!parts) return {}
  const moment = new Date(now - parts.count * UNITS[parts.unit].ms).toISOString()
  return parts.isOlder ? { before: moment } : { after: moment }
}

/** `last hour`, `last 7 days`, `over 1 hour ago`. */
export function rangeWords(range: string): string {
  const parts = partsOf(range)
  if (!parts) return range
  const { count, unit, isOlder } = parts
  const units = count === 1 ? UNITS[unit].one : `${UNITS[unit].one}s`
  if (isOlder) return `over ${count} ${units} ago`
  return count === 1 ? `last ${units}` : `last ${count} ${units}`
}

function partsOf(range = "") {
  const found = SHAPE.exec(range)
  return found && { isOlder: found[1] !== undefined, count: Number(found[2]), unit: found[3] as keyof typeof UNITS }
}
