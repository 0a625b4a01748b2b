// The kernel: what every operation works with. A capability that keeps state of its own (a cache, a batcher) makes it with `perKernel`.
import type { DatabaseClock } from "../../db/clock.ts"
import type { Database } from "../../db/database.ts"
import type { Weights } from "../../model/flow/weights.ts"
import type { SizeLimits } from "../../model/instances/variable-sizes.ts"
import type { Logger } from "../../support/log.ts"
import type { Metrics } from "../../support/metrics.ts"
import type { LoopName } from "./loops.ts"

export interface OperationSettings extends SizeLimits {
  readonly auditLogEnabled: boolean
  readonly leaseDefaultMs: number
  readonly maxLostLeases: number
  /** The least number of jobs for one worker that a claim takes as a pack; 0 for none. */
  readonly packFrom: number
  readonly retainMs: number
  /** How long the marks of processed messages are kept, by which consumers recognise a repeat. */
  readonly processedRetainMs: number
  /** The weights of the priorities, unless an operator has set others. */
  readonly weights: Weights
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly totalHighWatermark: number
  readonly totalLowWatermark: number
  readonly backpressureRetryAfterSeconds: number
  /** The retries of a standalone job that names none. */
  readonly jobRetries: number
  readonly jobTimeoutMs: number
  /** More queued steps than this raise an alert, which is also sent to the webhook. */
  readonly alertQueuedSteps: number
  readonly alertWebhook: string | undefined
}

export interface Kernel {
  /** Names this process among those that work on the same database. */
  readonly processId: string
  readonly db: Database
  readonly clock: DatabaseClock
  readonly log: Logger
  readonly metrics: Metrics
  readonly settings: OperationSettings
  /** The most items that one batch may have. */
  readonly batchMax: number
  readonly newId: () => string
  readonly random: () => number
  /** Tells the loops of this process that something falls due before the next pulse. */
  readonly nudge: (loop: LoopName, inMs: number) => void
}

/** State that a capability keeps for one kernel, made at its first use. The import of the accessor is the dependency. */
export function perKernel<Part extends object>(create: (kernel: Kernel) => Part): (kernel: Kernel) => Part {
  const parts = new WeakMap<Kernel, Part>()
  return (kernel) => {
    const known = parts.get(kernel)
    if (known) return known
    const part = create(kernel)
    parts.set(kernel, part)
    return part
  }
}
