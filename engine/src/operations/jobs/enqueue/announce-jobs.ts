// What follows the intake of standalone jobs: whoever waits for them is told, and what was heard of the gates is remembered.

import type { Transaction } from "../../../db/transaction.ts"
import type { EnqueueRow, NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import type { NewLimit } from "../../../store/jobs/standalone-jobs.ts"
import { refillLimits } from "../../flow/fill-limits.ts"
import { gatesOf } from "../../flow/gates.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { METER_MS } from "../../kernel/loops.ts"
import { wakeupsOf } from "../claim/wakeups.ts"
import type { PreparedJob } from "./enqueue-request.ts"

/** After commit: whoever waits for these jobs, or sees to it that they become ready, is told. */
export function announceReady(kernel: Kernel, rows: readonly NewStandaloneJob[]): void {
  const ready = rows.filter((row) => !row.lease && row.delayMs === 0 && row.limitKey === null)
  wakeupsOf(kernel).wake(queuesOf(kernel).known(ready.map((row) => row.queueId)))
  for (const { delayMs } of rows) if (delayMs > 0) kernel.nudge("releaser", delayMs)
  kernel.nudge("meter", METER_MS)
  refillLimits(
    kernel,
    rows.map((row) => (row.delayMs === 0 ? row.limitKey : null)),
  )
}

/** Once they are committed; in a caller's transaction, whose commit nobody is told of, as they are written. */
export function countEnqueued({ metrics }: Kernel, tx: Transaction, jobs: number): void {
  if (tx.isOurs) tx.afterCommit(() => metrics.jobsEnqueued.inc(jobs))
  else metrics.jobsEnqueued.inc(jobs)
}

export function hearGates(kernel: Kernel, { shut }: EnqueueRow): void {
  for (const name of ["critical", "high", "normal", "total"] as const) gatesOf(kernel).heard(name, shut.includes(name))
}

/** The limits that these jobs bring along. A replay keeps the limit that its key has now. */
export const limitsOf = (jobs: readonly PreparedJob[]): NewLimit[] =>
  jobs.flatMap(({ request: { limit, replayOf } }) => (limit ? [{ ...limit, keeps: replayOf !== undefined }] : []))
