// How long a failed attempt waits before the next one.

export interface CompiledRetryPolicy {
  readonly retries: number
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
  readonly jitter: "none" | "partial" | "full"
}

/** delay = min(cap, base × factor^(n−1)) for the n-th retry; full jitter takes any part of it, partial the upper half. */
export function retryDelayMs(policy: CompiledRetryPolicy, retriesLeft: number, random: () => number): number {
  const n = policy.retries - retriesLeft + 1
  const delay = Math.min(policy.capMs, policy.baseMs * policy.factor ** (n - 1))
  if (policy.jitter === "full") return Math.round(delay * random())
  if (policy.jitter === "partial") return Math.round(delay / 2 + (delay / 2) * random())
  return Math.round(delay)
}
