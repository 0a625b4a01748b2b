// What follows the intake of standalone jobs, however they came: the state of the gates is remembered, their limits are set, the jobs
// are counted, and waiting claims are woken.

import type { Transaction } from "../../../db/transaction.ts"
import type { EnqueueRow, NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import { type NewLimit, setLimits } from "../../../store/jobs/standalone-jobs.ts"
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

/** Hears which gates are shut, and returns the jobs that were made, in their order. */
export function hearAnswer(kernel: Kernel, jobs: readonly PreparedJob[], answer: EnqueueRow): readonly PreparedJob[] {
  const { ids, shut } = answer
  for (const name of ["critical", "high", "normal", "total"] as const) gatesOf(kernel).heard(name, shut.includes(name))
  if (ids.length === jobs.length) return jobs
  const made = new Set(ids)
  return jobs.filter(({ row }) => made.has(row.id))
}

export function setLimitsOf(tx: Transaction, jobs: readonly PreparedJob[]): void {
  const limits = jobs.flatMap(limitOf)
  if (limits.length > 0) setLimits(tx, limits)
}

/** The limit that it brings along. A replay keeps the limit that its key has now. */
const limitOf = ({ request: { limit, replayOf } }: PreparedJob): NewLimit[] =>
  limit ? [{ ...limit, keeps: replayOf !== undefined }] : []
