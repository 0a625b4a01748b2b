// Keeps one lease alive while its handler runs, and tells when it must be taken for lost.
//
// All times are the monotonic clock's. A lease has two ends here, because the moment the engine granted it is known only
// to lie between question and answer:
//   endsAt   counted from the question: before it the lease surely holds. Heartbeats come every third of what is left;
//            at endsAt − margin without an extension the handler is told to stop;
//   goneAt   counted from the answer: after it the lease surely ended.

import { backoffMs } from "../calls/backoff.ts"
import type { Clock } from "../calls/clock.ts"
import { MillraceError } from "../calls/errors.ts"
import { errorFields, type Logger } from "../calls/logger.ts"
import type { JobCalls } from "../client/job-types.ts"
import { LeaseLostError } from "./handler-errors.ts"

export interface LeaseSpan {
  readonly endsAt: number
  readonly goneAt: number
}

export interface LeasedJob {
  readonly id: string
  readonly leaseToken: string
}

export interface LeaseTerms {
  readonly workerId: string
  readonly leaseSeconds: number
  readonly marginMs: number
}

export interface LeaseEvents {
  extended(span: LeaseSpan): void
  lost(reason: LeaseLostError, refused: boolean): void
}

export interface LeaseTools {
  readonly calls: Pick<JobCalls, "heartbeat">
  readonly clock: Clock
  readonly logger: Logger
}

const HEARTBEATS_PER_LEASE = 3

export class Lease {
  #span: LeaseSpan
  #failures = 0
  #over = false
  #cancelBeat: () => void = () => {}
  #cancelGuard: () => void = () => {}
  readonly #job: LeasedJob
  readonly #terms: LeaseTerms
  readonly #tools: LeaseTools
  readonly #events: LeaseEvents

  constructor(job: LeasedJob, span: LeaseSpan, terms: LeaseTerms, tools: LeaseTools, events: LeaseEvents) {
    this.#job = job
    this.#span = span
    this.#terms = terms
    this.#tools = tools
    this.#events = events
    this.#beatAfter((span.endsAt - tools.clock.now()) / HEARTBEATS_PER_LEASE)
  }

  /** No more heartbeats; the lease is left to its report or to its end. */
  release(): void {
    this.#over = true
    this.#cancelBeat()
    this.#cancelGuard()
  }

  #beatAfter(ms: number): void {
    this.#cancelBeat = this.#tools.clock.after(Math.max(0, ms), () => void this.#beat())
  }

  async #beat(): Promise<void> {
    this.#guard()
    if (this.#over) return
    const askedAt = this.#tools.clock.now()
    try {
      await sendHeartbeat(this.#job, this.#terms, this.#tools, this.#leftMs())
      if (!this.#over) this.#extend(spanFrom(askedAt, this.#tools.clock.now(), this.#terms))
    } catch (error) {
      if (!this.#over) this.#afterFailure(error)
    }
  }

  /** From the first heartbeat on a second timer stands behind it: an answer that hangs must not outlast the lease. */
  #guard(): void {
    this.#cancelGuard()
    const giveUp = () => this.#lose(new LeaseLostError("the lease could not be extended in time"), false)
    if (this.#leftMs() <= 0) giveUp()
    else this.#cancelGuard = this.#tools.clock.after(this.#leftMs(), giveUp)
  }

  #extend(span: LeaseSpan): void {
    this.#cancelGuard()
    this.#span = span
    this.#failures = 0
    this.#events.extended(span)
    this.#beatAfter((span.endsAt - this.#tools.clock.now()) / HEARTBEATS_PER_LEASE)
  }

  #afterFailure(error: unknown): void {
    if (isLost(error)) this.#lose(new LeaseLostError("the engine says the lease is lost", { cause: error }), true)
    else this.#tryAgain(error)
  }

  #tryAgain(error: unknown): void {
    this.#failures += 1
    this.#tools.logger.warn({ jobId: this.#job.id, ...errorFields(error) }, "heartbeat failed, trying again")
    this.#beatAfter(Math.min(backoffMs(this.#failures), this.#leftMs()))
  }

  /** Until the handler has to be told to stop. */
  #leftMs(): number {
    return this.#span.endsAt - this.#terms.marginMs - this.#tools.clock.now()
  }

  #lose(reason: LeaseLostError, refused: boolean): void {
    this.release()
    this.#events.lost(reason, refused)
  }
}

/** The span of a lease granted between `askedAt` and `answeredAt`. */
export function spanFrom(askedAt: number, answeredAt: number, terms: Pick<LeaseTerms, "leaseSeconds">): LeaseSpan {
  const leaseMs = terms.leaseSeconds * 1000
  return { endsAt: askedAt + leaseMs, goneAt: answeredAt + leaseMs }
}

export async function sendHeartbeat(
  job: LeasedJob,
  terms: LeaseTerms,
  tools: LeaseTools,
  timeoutMs: number,
): Promise<void> {
  const { workerId, leaseSeconds } = terms
  const request = { workerId, leaseSeconds, leaseToken: job.leaseToken }
  await tools.calls.heartbeat(job.id, request, { timeoutMs, maxAttempts: 1 })
}

/** 404: the job is gone altogether. */
export const isLost = (error: unknown): boolean =>
  error instanceof MillraceError && (error.status === 409 || error.status === 404)
