// Cron expressions on the wall clocks of a time zone. The calendar is croner's; what a change of the clocks means is ours, because
// there a list such as `0 2,14 * * *` would run three times in the night the hour comes twice.
import { Cron as Calendar } from "croner"
import type { TimeZone } from "./time-zone.ts"

const SECOND_MS = 1_000
const NICKNAMES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
}
const FIELDS = [
  ["second", "0-59"],
  ["minute", "0-59"],
  ["hour", "0-23"],
  ["day of month", "1-31"],
  ["month", "1-12 or JAN-DEC"],
  ["day of week", "0-7 or SUN-SAT"],
] as const
const HOUR = 2
const EVERY_HOUR = /^(\*|\?|\*\/1|0-23)$/
const LONGEST_TEXT = 200

/** Seconds first. */
function fieldsOf(text: string): readonly string[] {
  const fields = (NICKNAMES[text.trim().toLowerCase()] ?? text).trim().split(/\s+/)
  return fields.length === FIELDS.length - 1 ? ["0", ...fields] : fields
}

/** Computes wall times as if the clock showed UTC. */
function calendarOf(fields: readonly string[]): Calendar | undefined {
  try {
    return new Calendar(fields.join(" "), { mode: "6-part", utcOffset: 0 })
  } catch {
    return undefined
  }
}

/** What is wrong with an expression; undefined when nothing is. */
export function cronFault(text: string): string | undefined {
  const fields = text.length > LONGEST_TEXT ? [] : fieldsOf(text)
  if (fields.length !== FIELDS.length)
    return "must have 5 fields (minute, hour, day of month, month, day of week), or 6 with the second first"
  for (const [at, [name, range]] of FIELDS.entries()) {
    // Alone among stars it is clear which one is meant.
    const alone = FIELDS.map((_, other) => (other === at ? (fields[at] as string) : "*"))
    if (!calendarOf(alone)) return `${name} must be ${range}, not "${fields[at]}"`
  }
  return undefined
}

export class Cron {
  readonly #calendar: Calendar
  readonly #zone: TimeZone
  readonly #runsEveryHour: boolean

  /** Expects an expression without faults. */
  constructor(text: string, zone: TimeZone) {
    const fields = fieldsOf(text)
    this.#calendar = new Calendar(fields.join(" "), { mode: "6-part", utcOffset: 0 })
    this.#zone = zone
    this.#runsEveryHour = EVERY_HOUR.test(fields[HOUR] ?? "")
  }

  /** The first time after this one; undefined when there is none, as for the 30th of February. */
  next(afterMs: number): number | undefined {
    return this.#runsEveryHour ? this.#nextByInterval(afterMs) : this.#nextByWall(afterMs)
  }

  /** Times of day: what is jumped over runs once, right after the jump; what comes twice runs the first time. */
  #nextByWall(afterMs: number): number | undefined {
    let wall: number | undefined = this.#zone.wallTime(afterMs)
    for (;;) {
      wall = this.#nextWall(wall)
      if (wall === undefined) return undefined
      const at = this.#zone.firstShown(wall)
      if (at > afterMs) return at
    }
  }

  /** Every hour: it goes on at its pace, whatever the clocks do. */
  #nextByInterval(afterMs: number): number | undefined {
    const offset = this.#zone.offsetMs(afterMs)
    const wall = this.#nextWall(afterMs + offset)
    if (wall === undefined) return undefined
    const at = wall - offset
    if (this.#zone.offsetMs(at) === offset) return at
    const change = this.#zone.changeBetween(afterMs, at)
    const changed = this.#zone.offsetMs(change)
    const then = this.#nextWall(change + changed - SECOND_MS)
    return then === undefined ? undefined : then - changed
  }

  #nextWall(afterMs: number): number | undefined {
    return this.#calendar.nextRun(new Date(afterMs))?.getTime()
  }
}
