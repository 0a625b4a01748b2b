// Which workers asked for work, as this process has seen it: kept in memory, and written with the counter series now and then.
import type { Sighting } from "../../store/observability/counter-series.ts"
import { type ProcessClock, processClock } from "../kernel/process-clock.ts"

/** A long poll takes 30 s, and what is seen is written every 10 s or so: a worker that was seen later than this still asks for work. */
export const ASKING_MS = 45_000

const WRITE_EVERY_MS = 10_000
/** A client that polls under a new name each time must not fill the memory, nor a statement. */
const MOST_WORKERS = 10_000
const MOST_AT_ONCE = 500
const MOST_NAMES = 10_000

interface Seen {
  readonly jobTypes: readonly string[]
  readonly atMs: number
}

export class WorkerSightings {
  readonly #clock: ProcessClock
  readonly #seen = new Map<string, Seen>()
  /** When each was written last. */
  readonly #written = new Map<string, Seen>()

  constructor(clock: ProcessClock = processClock) {
    this.#clock = clock
  }

  /** Called at every poll. */
  note(workerId: string, jobTypes: readonly string[]): void {
    if (this.#seen.size < MOST_WORKERS || this.#seen.has(workerId))
      this.#seen.set(workerId, { jobTypes, atMs: this.#clock.nowMs() })
  }

  /** Those that it is time to write. A flush that fails loses them: a worker that is still there is seen again at its next poll. */
  take(): Sighting[] {
    const now = this.#clock.nowMs()
    const due: Sighting[] = []
    let names = 0
    for (const [workerId, seen] of this.#seen) {
      if (due.length === MOST_AT_ONCE || names >= MOST_NAMES) break
      if (!this.#isDue(workerId, seen, now)) continue
      this.#seen.delete(workerId)
      this.#written.set(workerId, { jobTypes: seen.jobTypes, atMs: now })
      names += seen.jobTypes.length
      if (isStorable(workerId)) due.push({ workerId, jobTypes: namesOf(seen), msAgo: Math.round(now - seen.atMs) })
    }
    for (const [workerId, { atMs }] of this.#written) if (now - atMs >= WRITE_EVERY_MS) this.#written.delete(workerId)
    return due
  }

  #isDue(workerId: string, seen: Seen, now: number): boolean {
    const written = this.#written.get(workerId)
    return !written || now - written.atMs >= WRITE_EVERY_MS || !isSame(written.jobTypes, seen.jobTypes)
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((name, at) => name === b[at]))

const namesOf = ({ jobTypes }: Seen): string[] => jobTypes.filter(isStorable)

/** One name that PostgreSQL does not take would hold up all the counters. */
const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()
