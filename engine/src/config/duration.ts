// Durations in settings: `500ms`, `30s`, `5m`, `2h`, `30d`, or ISO-8601 without months and years, which have no fixed length.

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const SHORT = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)$/
const ISO = /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,3})?)S)?)?$/
const ISO_UNITS = [7 * UNITS.d, UNITS.d, UNITS.h, UNITS.m, UNITS.s]

/** Whole milliseconds, or undefined when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const short = SHORT.exec(text)
  if (short) return Math.round(Number(short[1]) * UNITS[short[2] as keyof typeof UNITS])
  const iso = ISO.exec(text)
  if (!iso || /[PT]$/.test(text)) return undefined
  return Math.round(ISO_UNITS.reduce((sum, unit, i) => sum + unit * Number(iso[i + 1] ?? 0), 0))
}

/** The shortest exact form: 90000 is `90s`, 120000 is `2m`. */
export function formatDuration(ms: number): string {
  for (const unit of ["d", "h", "m", "s"] as const) {
    if (ms >= UNITS[unit] && ms % UNITS[unit] === 0) return `${ms / UNITS[unit]}${unit}`
  }
  return `${ms}ms`
}
