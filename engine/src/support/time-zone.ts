// The wall clocks of a time zone: what they show at an instant, and when they first show a time.

const SECOND_MS = 1_000
const DAY_MS = 86_400_000
// Offsets such as +02:00 are names on some versions of Node only, and a schedule has to mean the same to all processes.
const NAME = /^[A-Za-z][\w+/-]{0,63}$/
const SHOWN = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/

/** Wall times are epoch milliseconds, as if the clock showed UTC. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat

  private constructor(name: string) {
    const numeric = "numeric" as const
    const date = { year: numeric, month: numeric, day: numeric }
    const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: "h23" as const }
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone: name, ...date, ...time })
  }

  /** By its IANA name; undefined when there is none of that name. */
  static find(name: string): TimeZone | undefined {
    if (!NAME.test(name)) return undefined
    try {
      return new TimeZone(name)
    } catch {
      return undefined
    }
  }

  wallTime(atMs: number): number {
    const [, month, day, year, hour, minute, second] = (SHOWN.exec(this.#format.format(atMs)) ?? []).map(Number)
    return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second)
  }

  /** How far the clocks are ahead of UTC. */
  offsetMs(atMs: number): number {
    return this.wallTime(atMs) - Math.floor(atMs / SECOND_MS) * SECOND_MS
  }

  /** A time that the clocks show twice: the first of both. One that they jump over: the moment of the jump. */
  firstShown(wallMs: number): number {
    const [before, after] = [this.offsetMs(wallMs - DAY_MS), this.offsetMs(wallMs + DAY_MS)]
    for (const offset of [Math.max(before, after), Math.min(before, after)])
      if (this.offsetMs(wallMs - offset) === offset) return wallMs - offset
    return this.changeBetween(wallMs - after, wallMs - before)
  }

  /** The first instant of another offset than that of `fromMs`, which at `untilMs` is reached. */
  changeBetween(fromMs: number, untilMs: number): number {
    const offset = this.offsetMs(fromMs)
    let [from, until] = [Math.floor(fromMs / SECOND_MS), Math.ceil(untilMs / SECOND_MS)]
    while (until - from > 1) {
      const middle = Math.floor((from + until) / 2)
      if (this.offsetMs(middle * SECOND_MS) === offset) from = middle
      else until = middle
    }
    return until * SECOND_MS
  }
}
