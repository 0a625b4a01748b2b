// What a claim has taught this process: which queues are empty, where their ready jobs begin, what went out, and how long it had waited.
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { seriesOf } from "../../observability/counter-series.ts"
import type { ClaimResult } from "./claim-by-priority.ts"
import { observePickup } from "./claimed-job.ts"
import { lowWaterOf } from "./low-water.ts"
import { type Seen, wakeupsOf } from "./wakeups.ts"

/** `seen`: before the claim looked. */
export function noteClaim(kernel: Kernel, { taken, emptied, ranges }: ClaimResult, seen: Seen): void {
  // There were no more jobs, and new ones wake the waiting claims.
  for (const { id } of emptied) wakeupsOf(kernel).foundEmpty(id, seen)
  const counts = new Map<number, number>()
  for (const { row } of taken) {
    if (row.waited !== null) observePickup(kernel, row.waited)
    counts.set(row.queue_id, (counts.get(row.queue_id) ?? 0) + 1)
  }
  for (const [queueId, count] of counts) countHandedOut(kernel, queueId, count)
  for (const { queueId, ...range } of ranges) lowWaterOf(kernel).claimed(queueId, range, range)
}

/** For jobs that a worker was given, whichever way. */
export function countHandedOut(kernel: Kernel, queueId: number, count = 1): void {
  const queue = queuesOf(kernel).of(queueId)
  if (queue) seriesOf(kernel).flow.handOut(queue, count)
}
