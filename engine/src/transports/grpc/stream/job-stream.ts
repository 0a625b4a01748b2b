// Pushes jobs to one worker for as long as its stream is open.
//
// The worker gives credit, and the stream holds a claim that waits while there is any: the same claim as a long poll's, so a job that
// becomes ready is handed over by the transaction that made it. Each job takes one off the credit. Until the worker says that a handler
// has started, a job is the stream's: it is given back when the stream ends, however that comes. A started job is the worker's.
//
// Nothing is claimed before the last jobs have left, and a worker that starts none of them before their leases end is stuck: its
// stream ends. Else it would take the same jobs again and again, and they would end as poison pills.
import { type ClaimRequest, claimJobs } from "../../../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { giveBackClaims, isAnyClaimed } from "../../../operations/jobs/claim/give-back-claims.ts"
import { wakeupsOf } from "../../../operations/jobs/claim/wakeups.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { EngineError } from "../../../support/errors.ts"
import { MAX_WAIT_MS } from "../../calls/route.ts"
import { failUndeliverable } from "../../routes/jobs/undeliverable.ts"
import { structBytes } from "../struct-bytes.ts"
import { Credit } from "./credit.ts"
import { type Sent, UnstartedJobs } from "./unstarted-jobs.ts"

const MOST_AT_ONCE = 100
/** How long the end waits for a worker to say that it has started what was sent last. */
const SETTLE_MS = 1_000
const STUCK =
  "the worker did not say that it started a job before the job's lease ended: what it has not started is given back"

export type StreamClaim = Pick<ClaimRequest, "workerId" | "jobTypes" | "leaseMs">

/** Resolves once the jobs have left. Nothing more is sent after the signal. */
export type Send = (jobs: readonly ClaimedJob[], signal: AbortSignal) => Promise<void>

export class JobStream {
  readonly #kernel: Kernel
  readonly #claim: StreamClaim
  readonly #send: Send
  readonly #unstarted = new UnstartedJobs((late) => void this.#judge(late))
  readonly #ended = new AbortController()
  readonly #credit = new Credit()
  /** Asked to end, and waiting for the worker to start what it has. */
  #ending = false
  #isStuck = false
  #changed: () => void = () => {}

  constructor(kernel: Kernel, claim: StreamClaim, send: Send) {
    this.#kernel = kernel
    this.#claim = claim
    this.#send = send
  }

  addCredit(jobs: number): void {
    this.#credit.add(jobs)
    this.#changed()
  }

  started(jobId: string, leaseToken: string): void {
    this.#unstarted.started(jobId, leaseToken)
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

  /** A job that was reported without a start was worked on all the same; one that is held still was not. */
  async #judge(late: readonly Sent[]): Promise<void> {
    const isStuck = await isAnyClaimed(this.#kernel, late).catch(() => true)
    if (isStuck) return this.#giveUp()
    this.#unstarted.drop(late)
    this.#changed()
  }

  #giveUp(): void {
    this.#isStuck = true
    this.break()
  }

  /** Ends when the stream is to be closed, by an error where a claim fails or the worker is stuck. What was not started is ready again. */
  async run(): Promise<void> {
    try {
      while (!this.#isOver) await this.#pushOrWait()
      await this.#settle()
    } finally {
      this.#ended.abort()
      this.#unstarted.stop()
      const { jobs } = this.#unstarted
      if (jobs.length > 0) await giveBackClaims(this.#kernel, jobs)
    }
    if (this.#isStuck) throw new EngineError("unavailable", STUCK)
  }

  get #isOver(): boolean {
    return this.#ending || this.#ended.signal.aborted || wakeupsOf(this.#kernel).closed
  }

  async #pushOrWait(): Promise<void> {
    if (this.#credit.left === 0) return this.#change()
    const maxJobs = Math.min(this.#credit.left, MOST_AT_ONCE)
    const jobs = await this.#claimJobs(maxJobs)
    if (jobs.length === 0) return
    this.#credit.spend(jobs.length)
    this.#unstarted.add(jobs, this.#kernel.clock.nowMs())
    if (!this.#isOver) await this.#sendUntilOver(jobs)
  }

  /** A worker that does not read holds up the sending, but not the end of the stream. */
  async #sendUntilOver(jobs: readonly ClaimedJob[]): Promise<void> {
    const stop = new AbortController()
    const over = new Promise<void>((resolve) => {
      stop.signal.addEventListener("abort", () => resolve())
    })
    this.#changed = () => (this.#isOver ? stop.abort() : undefined)
    await Promise.race([this.#send(jobs, stop.signal), over])
    this.#changed = () => {}
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
