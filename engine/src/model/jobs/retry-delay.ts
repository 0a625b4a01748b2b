// How long a failed attempt waits before the next one.
import { LONGEST_MS } from "../kernel/durations.ts"

export interface Backoff {
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
}

/** Delay before the n-th retry: min(capMs, baseMs × factor^(n−1)), then jitter. A base of 0 is at once. */
export interface CompiledRetryPolicy extends Backoff {
  readonly retries: number
  readonly jitter: "none" | "partial" | "full"
}

/** Before jitter. A finite number from 0 to the cap: a power that is infinite must not meet a base of zero. */
export function backoffMs({ baseMs, factor, capMs }: Backoff, retriesBefore: number): number {
  if (baseMs === 0) return 0
  return Math.min(baseMs * factor ** Math.max(0, retriesBefore), capMs, LONGEST_MS)
}

/** Full jitter takes any part of the delay, partial jitter the upper half. */
export function retryDelayMs(policy: CompiledRetryPolicy, retriesLeft: number, random: () => number): number {
  const delay = backoffMs(policy, policy.retries - retriesLeft)
  if (policy.jitter === "full") return Math.round(delay * random())
  if (policy.jitter === "partial") return Math.round(delay / 2 + (delay / 2) * random())
  return Math.round(delay)
}
