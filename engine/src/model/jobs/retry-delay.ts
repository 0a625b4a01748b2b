// How long a failed attempt waits before the next one.
import { LONGEST_MS } from "../kernel/durations.ts"

export interface Backoff {
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
}

export interface JitteredBackoff extends Backoff {
  readonly jitter: "none" | "partial" | "full"
}

/** Delay before the n-th retry: min(capMs, baseMs × factor^(n−1)), then jitter. A base of 0 is at once. */
export interface CompiledRetryPolicy extends JitteredBackoff {
  readonly retries: number
}

/** Before jitter. A finite number from 0 to the cap: a power that is infinite must not meet a base of zero. */
export function backoffMs({ baseMs, factor, capMs }: Backoff, retriesBefore: number): number {
  if (baseMs === 0) return 0
  return Math.min(baseMs * factor ** Math.max(0, retriesBefore), capMs, LONGEST_MS)
}

/** Full jitter takes any part of the delay, partial jitter the upper half. */
export function jitteredMs(backoff: JitteredBackoff, retriesBefore: number, random: () => number): number {
  const delay = backoffMs(backoff, retriesBefore)
  if (backoff.jitter === "full") return Math.round(delay * random())
  if (backoff.jitter === "partial") return Math.round(delay / 2 + (delay / 2) * random())
  return Math.round(delay)
}

export const retryDelayMs = (policy: CompiledRetryPolicy, retriesLeft: number, random: () => number): number =>
  jitteredMs(policy, policy.retries - retriesLeft, random)
