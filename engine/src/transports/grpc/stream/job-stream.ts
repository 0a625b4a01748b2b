// Pushes jobs to one worker for as long as its stream is open.
//
// The worker gives credit, and the stream holds a claim that waits while there is any: the same claim as a long poll's, so a job that
// becomes ready is handed over by the transaction that made it. Each job takes one off the credit. Until the worker says that a handler
// has started, a job is the stream's: it is given back when the stream ends, however that comes. A started job is the worker's.
import { type ClaimRequest, claimJobs } from "../../../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { giveBackClaims } from "../../../operations/jobs/claim/give-back-claims.ts"
import { wakeupsOf } from "../../../operations/jobs/claim/wakeups.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { MAX_WAIT_MS } from "../../calls/route.ts"
import { failUndeliverable } from "../../routes/jobs/undeliverable.ts"
import { structBytes } from "../struct-bytes.ts"

const MOST_AT_ONCE = 100
/** More than any worker has slots; it bounds what one stream may hold. */
const MOST_CREDIT = 10_000
/** How long the end waits for a worker to say that it has started what was sent last. */
const SETTLE_MS = 1_000

export type StreamClaim = Pick<ClaimRequest, "workerId" | "jobTypes" | "leaseMs">

/** Resolves once the worker can take more. */
export type Send = (jobs: readonly ClaimedJob[]) => Promise<void>

export class JobStream {
  readonly #kernel: Kernel
  readonly #claim: StreamClaim
  readonly #send: Send
  readonly #unstarted = new Map<string, ClaimedJob>()
  readonly #ended = new AbortController()
  #credit = 0
  /** Asked to end, and waiting for the worker to start what it has. */
  #ending = false
  #changed: () => void = () => {}

  constructor(kernel: Kernel, claim: StreamClaim, send: Send) {
    this.#kernel = kernel
    this.#claim = claim
    this.#send = send
  }

  addCredit(jobs: number): void {
    this.#credit = Math.min(MOST_CREDIT, this.#credit + Math.max(0, jobs))
    this.#changed()
  }

  started(jobId: string, leaseToken: string): void {
    if (this.#unstarted.get(jobId)?.leaseToken === leaseToken) this.#unstarted.delete(jobId)
    this.#changed()
  }

  /** Nothing more is pushed; what was is for the worker to start, for a moment. */
  end(): void {
    this.#ending = true
    this.#changed()
  }

  /** The worker cannot be reached any more, or wants no more. */
  break(): void {
    this.#ended.abort()
    this.#changed()
  }

  /** Resolves when the stream is to be closed; rejects where a claim fails. What was not started is ready again by then. */
  async run(): Promise<void> {
    try {
      while (!this.#isOver) await this.#pushOrWait()
      await this.#settle()
    } finally {
      this.#ended.abort()
      const jobs = [...this.#unstarted.values()]
      if (jobs.length > 0) await giveBackClaims(this.#kernel, jobs)
    }
  }

  get #isOver(): boolean {
    return this.#ending || this.#ended.signal.aborted || wakeupsOf(this.#kernel).closed
  }

  async #pushOrWait(): Promise<void> {
    if (this.#credit === 0) return this.#change()
    const maxJobs = Math.min(this.#credit, MOST_AT_ONCE)
    const jobs = await this.#claimJobs(maxJobs)
    if (jobs.length === 0) return
    this.#credit -= jobs.length
    for (const job of jobs) this.#unstarted.set(job.id, job)
    await this.#send(jobs)
  }

  /** The end of the stream ends the wait, too. */
  async #claimJobs(maxJobs: number): Promise<readonly ClaimedJob[]> {
    const stop = new AbortController()
    const isOver = () => (this.#isOver ? stop.abort() : undefined)
    this.#changed = isOver
    const request = { ...this.#claim, maxJobs, waitMs: MAX_WAIT_MS, signal: stop.signal }
    const jobs = await claimJobs(this.#kernel, request)
    this.#changed = () => {}
    return failUndeliverable(this.#kernel, jobs, { ...this.#claim, weigh: structBytes })
  }

  async #settle(): Promise<void> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#changed()
    }, SETTLE_MS)
    while (this.#unstarted.size > 0 && !isLate && !this.#ended.signal.aborted) await this.#change()
    clearTimeout(timer)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve
    })
  }
}
