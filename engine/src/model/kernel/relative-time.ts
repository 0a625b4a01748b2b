// How far away a moment is, as people say it.

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const

/** `3 min ago`, `in 20 s`: in the largest unit there is one of. */
export function relativeText(ms: number, now: number): string {
  const distance = ms - now
  const [unit, size] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ["now", 0]
  if (size === 0) return unit
  return distance < 0 ? `${Math.floor(-distance / size)} ${unit} ago` : `in ${Math.round(distance / size)} ${unit}`
}
