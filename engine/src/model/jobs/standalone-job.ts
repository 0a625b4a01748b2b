// What a standalone job is given where its caller asks for nothing else: how it is retried, and for how long it is leased.
import type { Priority } from "../definitions/definition.ts"
import type { CompiledRetryPolicy } from "./retry-delay.ts"

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

/** By priority, where the worker names no other: longer than any heartbeat of it may be late. */
export const LEASE_MS: Readonly<Record<Priority, number>> = { critical: 30_000, high: 60_000, normal: 120_000 }
