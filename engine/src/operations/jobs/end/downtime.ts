// When no engine was running to take heartbeats: leases that ended then are taken back, and do not count as lost leases.
import { perKernel } from "../../kernel/kernel.ts"

/** Shorter gaps are no downtime: a heartbeat comes three times in a lease. */
const GAP_MS = 5_000
/** After it, workers need a moment to be heard again. */
const GRACE_MS = 10_000

export class Downtime {
  #fromMs = 0
  #untilMs = 0

  /** At each pulse, with the last sign of life of any process before it; null if every process stopped cleanly. */
  observe(nowMs: number, lastSeenMs: number | null): void {
    if (lastSeenMs !== null && nowMs - lastSeenMs < GAP_MS) return
    this.#fromMs = lastSeenMs ?? 0
    this.#untilMs = nowMs
  }

  covers(leaseUntilMs: number): boolean {
    return leaseUntilMs >= this.#fromMs && leaseUntilMs <= this.#untilMs + GRACE_MS
  }
}

export const downtimeOf = perKernel(() => new Downtime())
