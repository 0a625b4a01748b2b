// What becomes of a job when an attempt at it has ended: done, tried again, or dead. One rule for every kind of job; what
// differs between the kinds is the policy.
import { type CompiledRetryPolicy, retryDelayMs } from "./retry-delay.ts"

export interface FailedEnd {
  readonly kind: "failed"
  readonly message: string
  readonly retryable: boolean
  /** The worker's own wish; it wins over the policy. */
  readonly retryAfterMs?: number | undefined
  /** The worker's own formula for the delay, given the number of earlier retries. */
  readonly backoff?: ((retriesBefore: number) => number) | undefined
  /** Tried again although no retry is left. */
  readonly isUnlimited?: boolean | undefined
  /** The retries of the step that failed, where it has a budget of its own: they decide, and those of the job are not spent. */
  readonly own?: OwnRetries | undefined
}

export interface OwnRetries {
  readonly left: number
  readonly spent: number
}

/** The engine ended the attempt: it ran for longer than it may, or its worker fell silent. */
export type LeaseEnd =
  | { readonly kind: "timed-out" }
  /** A lease that ended while the engine could take no heartbeat is not counted. */
  | { readonly kind: "lost"; readonly counts: boolean }

export type UnsuccessfulEnd = FailedEnd | LeaseEnd
export type AttemptEnd = { readonly kind: "completed" } | UnsuccessfulEnd

export interface AttemptFacts {
  readonly retriesLeft: number
  readonly lostLeases: number
}

export interface AttemptPolicy {
  readonly retry: CompiledRetryPolicy
  /** Leases that a job may lose; with one more it is a poison pill. */
  readonly maxLostLeases: number
  readonly random: () => number
  /** Puts a retry off for longer than its delay, where too many come back at once. */
  readonly spread?: (delayMs: number) => number
}

export type DeadReason = "exhausted" | "not-retryable" | "worker-lost"

/** How the attempt itself is recorded. */
interface AttemptRecord {
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly error: string
}

export interface Retry {
  readonly kind: "retry"
  readonly attempt: AttemptRecord
  readonly delayMs: number
  readonly retriesLeft: number
  readonly lostLeases: number
  /** A reported attempt has used its token up; a lost one leaves it good until the next claim. */
  readonly keepsToken: boolean
}

export interface Dead {
  readonly kind: "dead"
  readonly attempt: AttemptRecord
  readonly reason: DeadReason
  readonly error: string
  /** Retries that were spent on the job before. */
  readonly retries: number
  readonly lostLeases: number
}

export type AfterAttempt = { readonly kind: "done" } | Retry | Dead

export function afterAttempt(job: AttemptFacts, end: UnsuccessfulEnd, policy: AttemptPolicy): Retry | Dead
export function afterAttempt(job: AttemptFacts, end: AttemptEnd, policy: AttemptPolicy): AfterAttempt
export function afterAttempt(job: AttemptFacts, end: AttemptEnd, policy: AttemptPolicy): AfterAttempt {
  if (end.kind === "completed") return { kind: "done" }
  if (end.kind === "lost") return afterLostLease(job, end.counts, policy)
  return afterFailure(job, end.kind === "timed-out" ? TIMED_OUT : end, policy)
}

const TIMED_OUT = { kind: "timed-out", message: "timeout.run: the attempt timed out", retryable: true } as const

type Failure = Omit<FailedEnd, "kind"> & { readonly kind: "failed" | "timed-out" }

function afterFailure(job: AttemptFacts, failure: Failure, policy: AttemptPolicy): Retry | Dead {
  const { retriesLeft, lostLeases } = job
  const error = failure.message || "the worker gave no reason"
  const attempt = { outcome: failure.kind, error }
  if (failure.retryable && mayRetry(job, failure)) {
    const left = failure.own ? retriesLeft : Math.max(0, retriesLeft - 1)
    const delayMs = delayOf(job, failure, policy)
    return { kind: "retry", attempt, delayMs, retriesLeft: left, lostLeases, keepsToken: false }
  }
  const reason = failure.retryable ? "exhausted" : "not-retryable"
  return { kind: "dead", attempt, reason, error, retries: failure.own?.spent ?? retriesSpent(job, policy), lostLeases }
}

const mayRetry = ({ retriesLeft }: AttemptFacts, { own, isUnlimited }: Failure): boolean =>
  own ? own.left > 0 : retriesLeft > 0 || isUnlimited === true

function delayOf(job: AttemptFacts, { retryAfterMs, backoff }: Failure, policy: AttemptPolicy): number {
  const wish = retryAfterMs ?? backoff?.(retriesSpent(job, policy))
  const delayMs = wish ?? retryDelayMs(policy.retry, job.retriesLeft, policy.random)
  return policy.spread ? policy.spread(delayMs) : delayMs
}

/** Lost workers are counted apart from retries: their jobs are ready again at once, until there are too many of them. */
function afterLostLease(job: AttemptFacts, counts: boolean, policy: AttemptPolicy): Retry | Dead {
  const attempt = { outcome: "lost", error: "heartbeat timeout" } as const
  const lostLeases = job.lostLeases + (counts ? 1 : 0)
  if (lostLeases <= policy.maxLostLeases)
    return { kind: "retry", attempt, delayMs: 0, retriesLeft: job.retriesLeft, lostLeases, keepsToken: true }
  const error = `poison pill: ${lostLeases} workers were lost while they held this job (worker_lost)`
  return { kind: "dead", attempt, reason: "worker-lost", error, retries: retriesSpent(job, policy), lostLeases }
}

const retriesSpent = ({ retriesLeft }: AttemptFacts, { retry }: AttemptPolicy): number =>
  Math.max(0, retry.retries - retriesLeft)

/** For the record of the job itself; its dead letters are grouped by the error alone. */
export const namingRetries = (error: string, retries: number): string =>
  retries === 0 ? error : `${error} (after ${retries} ${retries === 1 ? "retry" : "retries"})`
