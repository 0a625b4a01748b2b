// What follows the failure of a standalone job: another try after a delay, or the end.
import type { Priority } from "../definitions/definition.ts"
import type { DeadReason } from "../instances/plan.ts"
import { type CompiledRetryPolicy, retryDelayMs } from "./retry-delay.ts"

export const RETRY_PRESETS = {
  immediate: { retries: 0, baseMs: 0, factor: 1, capMs: 0, jitter: "none" },
  minutes: { retries: 3, baseMs: 60_000, factor: 2, capMs: 3_600_000, jitter: "none" },
  jittered: { retries: 5, baseMs: 1_000, factor: 2, capMs: 60_000, jitter: "full" },
} as const satisfies Readonly<Record<string, CompiledRetryPolicy>>

export type RetryChoice = keyof typeof RETRY_PRESETS | CompiledRetryPolicy

/** A preset by its name, with the caller's own number of retries where one is given. */
export function retryPolicyOf(choice: RetryChoice, retries: number | undefined): CompiledRetryPolicy {
  const policy = typeof choice === "string" ? RETRY_PRESETS[choice] : choice
  return retries === undefined ? policy : { ...policy, retries }
}

export interface StandaloneFacts {
  readonly retriesLeft: number
  readonly lostLeases: number
  readonly policy: CompiledRetryPolicy
}

export interface StandaloneFailure {
  readonly message: string
  readonly retryable: boolean
  /** The worker's own wish; it wins over the policy. */
  readonly retryAfterMs?: number | undefined
}

export type AfterFailure =
  | { readonly kind: "retry"; readonly delayMs: number; readonly retriesLeft: number; readonly lostLeases: number }
  | { readonly kind: "dead"; readonly reason: DeadReason; readonly error: string }

export function planFailure(job: StandaloneFacts, failure: StandaloneFailure, random: () => number): AfterFailure {
  const { retriesLeft, lostLeases, policy } = job
  if (!failure.retryable) return { kind: "dead", reason: "not-retryable", error: failure.message }
  if (retriesLeft === 0) {
    return { kind: "dead", reason: "exhausted", error: `${failure.message}${afterRetries(policy.retries)}` }
  }
  const delayMs = failure.retryAfterMs ?? retryDelayMs(policy, retriesLeft, random)
  return { kind: "retry", delayMs, retriesLeft: retriesLeft - 1, lostLeases }
}

const afterRetries = (retries: number): string =>
  retries === 0 ? "" : ` (after ${retries} ${retries === 1 ? "retry" : "retries"})`

/** The worker went away. Not a retry: it is counted apart. */
export function planLost(job: StandaloneFacts, maxLostLeases: number, counts = true): AfterFailure {
  const lostLeases = job.lostLeases + (counts ? 1 : 0)
  if (lostLeases <= maxLostLeases) return { kind: "retry", delayMs: 0, retriesLeft: job.retriesLeft, lostLeases }
  const error = `poison pill: ${lostLeases} workers were lost while they held this job (worker_lost)`
  return { kind: "dead", reason: "worker-lost", error }
}

/** By priority, where the worker names no other: longer than any heartbeat of it may be late (D-31). */
export const LEASE_MS: Readonly<Record<Priority, number>> = { critical: 30_000, high: 60_000, normal: 120_000 }
