// Times and numbers as people say them: how long ago, how soon, how many.

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
]

/** `3 min`, `2 h`: the largest unit there is one of. */
export function span(ms: number): string {
  const size = Math.abs(ms)
  const [unit, length] = UNITS.find(([, length]) => size >= length) ?? ["s", 1_000]
  return `${Math.floor(size / length)} ${unit}`
}

/** How long something took, as exactly as it is of use: `120 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`. */
export function took(ms: number): string {
  const size = Math.max(0, ms)
  if (size < 1_000) return `${Math.round(size)} ms`
  if (size < 60_000) return `${(Math.floor(size / 100) / 10).toFixed(1)} s`
  const at = UNITS.findIndex(([, length]) => size >= length)
  const [[unit, length], [smaller, part]] = UNITS.slice(at, at + 2) as [(typeof UNITS)[0], (typeof UNITS)[0]]
  return `${Math.floor(size / length)} ${unit} ${Math.floor((size % length) / part)} ${smaller}`
}

/** `3 min ago`, `in 2 h`. The engine's times are RFC 3339. */
export function relative(at: string | null | undefined, nowMs: number): string {
  const ms = at ? Date.parse(at) : Number.NaN
  if (Number.isNaN(ms)) return ""
  return ms <= nowMs ? `${span(nowMs - ms)} ago` : `in ${span(ms - nowMs)}`
}

/** Whole seconds in UTC. */
export const moment = (at: string | null | undefined): string =>
  at && !Number.isNaN(Date.parse(at)) ? `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC` : ""

/** On the clocks of that zone, with the time in UTC behind it: `2026-11-16 03:00:00 (2026-11-16 02:00:00 UTC, in 9 h)`. */
export function inZone(at: string, timeZone: string, nowMs: number): string {
  if (timeZone === "UTC") return `${moment(at)} (${relative(at, nowMs)})`
  // Swedish dates are written as ISO has them.
  const there = new Date(at).toLocaleString("sv-SE", { timeZone })
  return `${there} (${moment(at)}, ${relative(at, nowMs)})`
}

/** 3.5, 1,200: one decimal is enough of a rate, unless nothing would be left of it. */
export const rate = (value: number): string =>
  value.toLocaleString("en-US", value < 0.1 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 1 })

/** 12,345. */
export const count = (value: number | undefined): string => (value === undefined ? "" : value.toLocaleString("en-US"))

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`
