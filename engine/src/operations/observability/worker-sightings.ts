// Which workers ask for work, as this process sees it: kept in memory, and written with the counter series now and then.
import type { Departure, Sighting } from "../../store/observability/counter-series.ts"
import { type ProcessClock, processClock } from "../kernel/process-clock.ts"

/** A worker that asks without waiting may do so every 30 s, and what is seen is written every 10 s or so: one seen later still asks. */
export const ASKING_MS = 45_000

const WRITE_EVERY_MS = 10_000
/** A client that polls under a new name each time must not fill the memory, nor a statement. */
const MOST_WORKERS = 10_000
const MOST_AT_ONCE = 500
const MOST_NAMES = 10_000

interface Asker {
  jobTypes: readonly string[]
  /** When it asked last. */
  atMs: number
  /** Polls that wait for work just now. */
  open: number
  /** The worker has given up its last poll, or was stopped, and has not asked since. */
  hasLeft: boolean
  written: Written | undefined
}

interface Written {
  readonly jobTypes: readonly string[]
  readonly seenMs: number
  readonly atMs: number
  /** How long the statement took: by so much the time in the database may be too late. */
  tookMs: number
}

interface Taken {
  readonly sightings: readonly Sighting[]
  readonly departures: readonly Departure[]
}

export class WorkerSightings {
  readonly #clock: ProcessClock
  readonly #askers = new Map<string, Asker>()
  #underWay: readonly Written[] = []

  constructor(clock: ProcessClock = processClock) {
    this.#clock = clock
  }

  /** Called at the beginning of every poll. */
  begin(workerId: string, jobTypes: readonly string[]): void {
    const atMs = this.#clock.nowMs()
    const known = this.#askers.get(workerId)
    if (known) {
      known.jobTypes = jobTypes
      known.atMs = atMs
      known.open += 1
      known.hasLeft = false
    } else if (this.#askers.size < MOST_WORKERS)
      this.#askers.set(workerId, { jobTypes, atMs, open: 1, hasLeft: false, written: undefined })
  }

  /** At its end. A worker that hangs up instead of waiting for the answer has left, unless it asks again before that is written. */
  end(workerId: string, hungUp: boolean): void {
    const asker = this.#askers.get(workerId)
    if (!asker) return
    asker.open = Math.max(0, asker.open - 1)
    asker.atMs = this.#clock.nowMs()
    if (hungUp) this.leave(workerId)
  }

  /** The worker was stopped. If another of its polls still waits, it has not left. */
  leave(workerId: string): void {
    const asker = this.#askers.get(workerId)
    if (asker?.open === 0) asker.hasLeft = true
  }

  /** What it is time to write. A flush that fails loses it: a worker that is still there is seen again soon. */
  take(): Taken {
    const now = this.#clock.nowMs()
    const sightings: Sighting[] = []
    const departures: Departure[] = []
    const underWay: Written[] = []
    let names = 0
    for (const [workerId, asker] of this.#askers) {
      if (sightings.length + departures.length === MOST_AT_ONCE || names >= MOST_NAMES) break
      if (asker.open > 0) asker.atMs = now
      if (asker.hasLeft || isForgotten(asker, now)) this.#askers.delete(workerId)
      if (!isStorable(workerId)) continue
      const msAgo = now - asker.atMs
      // Never before the sighting that this process has written itself.
      if (asker.hasLeft) departures.push({ workerId, msAgo: Math.floor(msAgo - (asker.written?.tookMs ?? 0)) })
      else if (isDue(asker, now)) {
        const { jobTypes, atMs: seenMs } = asker
        asker.written = { jobTypes, seenMs, atMs: now, tookMs: 0 }
        underWay.push(asker.written)
        names += jobTypes.length
        sightings.push({ workerId, jobTypes: jobTypes.filter(isStorable), msAgo: Math.ceil(msAgo) })
      }
    }
    this.#underWay = underWay
    return { sightings, departures }
  }

  /** What was taken last is in the database. */
  noteWritten(): void {
    const now = this.#clock.nowMs()
    for (const written of this.#underWay) written.tookMs = now - written.atMs
  }
}

function isDue({ jobTypes, atMs, written }: Asker, now: number): boolean {
  if (!written || !isSame(written.jobTypes, jobTypes)) return true
  return atMs > written.seenMs && now - written.atMs >= WRITE_EVERY_MS
}

/** All that is known of it was written a while ago. */
const isForgotten = ({ open, atMs, written }: Asker, now: number): boolean =>
  open === 0 && written !== undefined && atMs <= written.seenMs && now - written.atMs >= WRITE_EVERY_MS

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((name, at) => name === b[at]))

/** One name that PostgreSQL does not take would hold up all the counters. */
const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()
