// The jobs that a stream has sent and that its worker has not said to be started, watched for the end of their leases.
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"

/** The part of its lease that a worker has to start a job: what is given back before the end counts as no lost worker. */
const PATIENCE = 0.9

type Sent = Pick<ClaimedJob, "id" | "leaseToken" | "jobType">

interface Watched {
  readonly job: Sent
  readonly lateAt: number
}

export class UnstartedJobs {
  readonly #watched = new Map<string, Watched>()
  readonly #onLate: () => void
  #looksAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(onLate: () => void) {
    this.#onLate = onLate
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
      const lateAt = performance.now() + (lockExpiresAt - databaseNowMs) * PATIENCE
      this.#watched.set(id, { job: { id, leaseToken, jobType }, lateAt })
      this.#lookAt(lateAt)
    }
  }

  started(jobId: string, leaseToken: string): void {
    if (this.#watched.get(jobId)?.job.leaseToken === leaseToken) this.#watched.delete(jobId)
  }

  /** Watches no longer. */
  stop(): void {
    clearTimeout(this.#timer)
  }

  /** One timer for all: it is set for the first that may be late, started or not. */
  #lookAt(at: number): void {
    if (at >= this.#looksAt) return
    clearTimeout(this.#timer)
    this.#looksAt = at
    this.#timer = setTimeout(() => this.#look(), Math.ceil(at - performance.now()))
  }

  #look(): void {
    this.#looksAt = Number.POSITIVE_INFINITY
    let first = Number.POSITIVE_INFINITY
    for (const { lateAt } of this.#watched.values()) first = Math.min(first, lateAt)
    if (first <= performance.now()) this.#onLate()
    else this.#lookAt(first)
  }
}
