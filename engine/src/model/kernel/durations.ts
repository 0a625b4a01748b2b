// ISO-8601 durations of weeks, days, hours, minutes and seconds. Years and months have no fixed length and are refused.

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
// Ten years with three leap days.
const LONGEST_MS = 3653 * DAY_MS

const LONGEST_TEXT = 64
const PATTERN = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const UNITS_MS = [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS]

/** Milliseconds, or undefined when the text is no such duration, is zero, or is more than ten years. */
export function parseDuration(text: string): number | undefined {
  if (text.length > LONGEST_TEXT || text.endsWith("T")) return undefined
  const amounts = PATTERN.exec(text)?.slice(1)
  if (amounts === undefined) return undefined
  const total = amounts.reduce((sum, amount, index) => sum + Number(amount ?? 0) * (UNITS_MS[index] as number), 0)
  const durationMs = Math.round(total)
  return durationMs > 0 && durationMs <= LONGEST_MS ? durationMs : undefined
}

/** What to write instead, for the hint of a violation. */
export const DURATION_HINT =
  "write days to seconds as ISO-8601, such as PT30S or P1DT12H: above zero, at most ten years"
