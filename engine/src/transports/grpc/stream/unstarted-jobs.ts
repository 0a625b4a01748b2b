// The jobs that a stream has sent and that its worker has not said to be started, watched for the end of their leases.
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { type ProcessClock, processClock } from "../../../operations/kernel/process-clock.ts"

/** The part of its lease that a worker has to start a job: what is given back before the end counts as no lost worker. */
const PATIENCE = 0.9
/** The largest credit of a stream. A worker with more jobs was given credit for jobs that it reported and never started. */
const MOST = 10_000

/** What it takes to give a job back; its variables would be kept for as long as its lease. */
export type Sent = Pick<ClaimedJob, "id" | "leaseToken" | "jobType">

interface Watched {
  readonly job: Sent
  readonly lateAt: number
}

export class UnstartedJobs {
  readonly #watched = new Map<string, Watched>()
  readonly #onLate: (late: readonly Sent[]) => void
  #looksAt = Number.POSITIVE_INFINITY
  readonly #clock: ProcessClock
  #callOff: (() => void) | undefined

  constructor(onLate: (late: readonly Sent[]) => void, clock: ProcessClock = processClock) {
    this.#onLate = onLate
    this.#clock = clock
  }

  get size(): number {
    return this.#watched.size
  }

  get jobs(): readonly Sent[] {
    return [...this.#watched.values()].map(({ job }) => job)
  }

  /** `databaseNowMs` is of the clock that the leases are dated by. */
  add(jobs: readonly ClaimedJob[], databaseNowMs: number): void {
    for (const { id, leaseToken, jobType, lockExpiresAt } of jobs) {
      const lateAt = this.#clock.nowMs() + (lockExpiresAt - databaseNowMs) * PATIENCE
      this.#watched.set(id, { job: { id, leaseToken, jobType }, lateAt })
      this.#lookAt(lateAt)
    }
    if (this.size > MOST) this.#onLate(this.jobs.slice(0, MOST / 10))
  }

  started(jobId: string, leaseToken: string): void {
    if (this.#watched.get(jobId)?.job.leaseToken === leaseToken) this.#watched.delete(jobId)
  }

  /** Removes jobs that ended in another way. */
  drop(jobs: readonly Sent[]): void {
    for (const { id, leaseToken } of jobs) this.started(id, leaseToken)
  }

  /** Watches no longer. */
  stop(): void {
    this.#callOff?.()
  }

  /** One timer for all: it is set for the first that may be late, started or not. */
  #lookAt(at: number): void {
    if (at >= this.#looksAt) return
    this.#callOff?.()
    this.#looksAt = at
    this.#callOff = this.#clock.after(Math.ceil(at - this.#clock.nowMs()), () => this.#look())
  }

  #look(): void {
    this.#looksAt = Number.POSITIVE_INFINITY
    const now = this.#clock.nowMs()
    const watched = [...this.#watched.values()]
    for (const { lateAt } of watched) if (lateAt > now) this.#lookAt(lateAt)
    const late = watched.filter(({ lateAt }) => lateAt <= now)
    if (late.length > 0) this.#onLate(late.map(({ job }) => job))
  }
}
