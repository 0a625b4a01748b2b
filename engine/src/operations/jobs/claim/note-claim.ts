// What a claim has taught this process: which queues are empty, where their ready jobs begin, what went out, and how long it had waited.
import type { ClaimedRow } from "../../../store/jobs/claims.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { seriesOf } from "../../observability/counter-series.ts"
import type { ClaimResult } from "./claim-by-priority.ts"
import { observePickup } from "./claimed-job.ts"
import { lowWaterOf } from "./low-water.ts"
import { type Seen, wakeupsOf } from "./wakeups.ts"

/** `seen`: before the claim looked. */
export function noteClaim(kernel: Kernel, { taken, emptied }: ClaimResult, seen: Seen): void {
  // There were no more jobs, and new ones wake the waiting claims.
  for (const { id } of emptied) wakeupsOf(kernel).foundEmpty(id, seen)
  const rows = taken.map(({ row }) => row)
  for (const { waited } of rows) if (waited !== null) observePickup(kernel, waited)
  for (const { queue_id } of rows) countHandedOut(kernel, queue_id)
  rememberLowWater(kernel, rows)
}

/** For each job that a worker was given, whichever way. */
export function countHandedOut(kernel: Kernel, queueId: number): void {
  const queue = queuesOf(kernel).of(queueId)
  if (queue) seriesOf(kernel).flow.handOut(queue)
}

function rememberLowWater(kernel: Kernel, rows: readonly ClaimedRow[]): void {
  const ranges = new Map<number, { lowest: number; highest: number }>()
  for (const { queue_id, seq } of rows) {
    if (queuesOf(kernel).of(queue_id)?.isFair) continue
    const range = ranges.get(queue_id)
    if (!range) ranges.set(queue_id, { lowest: seq, highest: seq })
    else {
      range.lowest = Math.min(range.lowest, seq)
      range.highest = Math.max(range.highest, seq)
    }
  }
  const first = rows.find((row) => row.xmin !== null)
  if (first?.xmin == null || first.xmax === null) return
  const snapshot = { xmin: first.xmin, xmax: first.xmax }
  for (const [queueId, range] of ranges) lowWaterOf(kernel).claimed(queueId, range, snapshot)
}
