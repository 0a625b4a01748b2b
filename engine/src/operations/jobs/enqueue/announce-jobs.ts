// What follows the intake of standalone jobs: waiting claims are woken, and the state of the gates is remembered.

import type { Transaction } from "../../../db/transaction.ts"
import type { EnqueueRow, NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import type { NewLimit } from "../../../store/jobs/standalone-jobs.ts"
import { refillLimits } from "../../flow/fill-limits.ts"
import { gatesOf } from "../../flow/gates.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { METER_MS } from "../../kernel/loops.ts"
import { seriesOf } from "../../observability/counter-series.ts"
import { wakeQueues } from "../claim/wake-queues.ts"
import type { PreparedJob } from "./enqueue-request.ts"

/** After the commit: wakes the claims that wait for these jobs, and the loops that make held jobs ready. */
export function announceReady(kernel: Kernel, rows: readonly NewStandaloneJob[]): void {
  const ready = rows.filter((row) => !row.lease && row.delayMs === 0 && row.limitKey === null)
  wakeQueues(
    kernel,
    ready.map((row) => row.queueId),
  )
  for (const { delayMs } of rows) if (delayMs > 0) kernel.nudge("releaser", delayMs)
  kernel.nudge("meter", METER_MS)
  refillLimits(
    kernel,
    rows.map((row) => (row.delayMs === 0 ? row.limitKey : null)),
  )
}

/** After the commit; in a caller's transaction, whose commit is not seen here, as they are written. */
export function countEnqueued(kernel: Kernel, tx: Transaction, jobs: readonly PreparedJob[]): void {
  if (tx.isOurs) tx.afterCommit(() => countTakenIn(kernel, jobs))
  else countTakenIn(kernel, jobs)
}

export function countTakenIn(kernel: Kernel, jobs: readonly PreparedJob[]): void {
  kernel.metrics.jobsEnqueued.inc(jobs.length)
  seriesOf(kernel).flow.accept(jobs.map(({ request }) => request.door))
}

export function hearGates(kernel: Kernel, { shut }: EnqueueRow): void {
  for (const name of ["critical", "high", "normal", "total"] as const) gatesOf(kernel).heard(name, shut.includes(name))
}

/** The limits that these jobs bring along. A replay keeps the limit that its key has now. */
export const limitsOf = (jobs: readonly PreparedJob[]): NewLimit[] =>
  jobs.flatMap(({ request: { limit, replayOf } }) => (limit ? [{ ...limit, keeps: replayOf !== undefined }] : []))
