// How long to wait before the n-th try: 100 ms × 2^(n−1), ±20 %, at most 30 s.

const BASE_MS = 100
const CAP_MS = 30_000
const JITTER = 0.2

/** `attempt` counts from 1; anything below counts as 1. `random` gives [0, 1). */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const exponent = Math.max(1, attempt || 1) - 1
  const plain = Math.min(CAP_MS, BASE_MS * 2 ** exponent)
  const jittered = plain * (1 + JITTER * (2 * random() - 1))
  return Math.min(CAP_MS, Math.max(0, jittered))
}
