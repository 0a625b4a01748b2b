// Lengths of time as text: ISO-8601 on the wire, and also as people write them (`10m`, `1h30m`) everywhere else.
// Years and months have no fixed length and are refused.

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** Ten years with three leap days. */
export const LONGEST_MS = 3653 * DAY_MS

const LONGEST_TEXT = 64
const ISO = /^P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const SHORT = /^(?=\d)(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/
// A fraction stands alone: `1.5h30m` would be hard to read.
const SHORT_FRACTION = /^(?:(\d+\.\d+)w|(\d+\.\d+)d|(\d+\.\d+)h|(\d+\.\d+)m|(\d+\.\d+)s)$/
const UNITS_MS = [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, 1]

/** Whole milliseconds of either form, zero included; undefined when the text is no duration or is more than ten years. */
export function parseDuration(text: string): number | undefined {
  return readWith([ISO, SHORT, SHORT_FRACTION], text)
}

/** Whole milliseconds of the wire's form; undefined when the text is none, is zero, or is more than ten years. */
export function parseIsoDuration(text: string): number | undefined {
  return readWith([ISO], text) || undefined
}

function readWith(patterns: readonly RegExp[], text: string): number | undefined {
  if (text.length > LONGEST_TEXT) return undefined
  for (const pattern of patterns) {
    const amounts = pattern.exec(text)?.slice(1)
    if (amounts !== undefined) return total(amounts)
  }
  return undefined
}

function total(amounts: readonly (string | undefined)[]): number | undefined {
  const exact = amounts.reduce((sum, amount, index) => sum + Number(amount ?? 0) * (UNITS_MS[index] as number), 0)
  const ms = Math.round(exact)
  const isTooShort = ms === 0 && exact > 0
  return isTooShort || ms > LONGEST_MS ? undefined : ms
}

const LETTERS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
] as const

const largestUnit = (ms: number) => LETTERS.find(([, unitMs]) => ms >= unitMs && ms % unitMs === 0)

/** Writes ISO-8601, in the largest unit that leaves a whole number: 90000 is PT90S, 120000 is PT2M, 250 is PT0.25S. */
export function formatDuration(ms: number): string {
  const [letter, unitMs] = largestUnit(ms) ?? ["s", SECOND_MS]
  return `P${letter === "d" ? "" : "T"}${ms / unitMs}${letter.toUpperCase()}`
}

/** Writes the short form for people, in the same unit: 90000 is 90s, 120000 is 2m, 250 is 250ms. */
export function shortDuration(ms: number): string {
  const [letter, unitMs] = largestUnit(ms) ?? ["ms", 1]
  return `${ms / unitMs}${letter}`
}

/** What to write instead, for the hint of a violation on the wire. */
export const ISO_DURATION_HINT =
  "write days to seconds as ISO-8601, such as PT30S or P1DT12H: above zero, at most ten years"

/** What to write instead where both forms are taken. */
export const DURATION_HINT = "write it like 500ms, 30s, 1h30m or 2d, or as ISO-8601 such as PT30S: at most ten years"
