// Moments between an address, which says them in UTC, and people, who say them by the clock on the wall.

/** `2025-03-01T09:31`, as `<input type="datetime-local">` wants it; empty where there is no moment. */
export function wallTimeOf(moment: string | undefined): string {
  const date = new Date(moment ?? "")
  if (Number.isNaN(date.getTime())) return ""
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** RFC 3339; undefined where nothing, or no time, was given. */
export function momentOf(wallTime: string): string | undefined {
  const date = new Date(wallTime)
  return wallTime === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/

/** A date, or a date and a time, as people write them: without a time the day begins at midnight. */
export function typedMoment(typed: string): string | undefined {
  const [, day, time = "00:00"] = DATE.exec(typed.trim()) ?? []
  return day === undefined ? undefined : momentOf(`${day}T${time}`)
}
