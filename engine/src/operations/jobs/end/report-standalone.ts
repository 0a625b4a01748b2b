// Reports on standalone jobs, and their leases that ended. Completions of a batch are one statement; failures are planned one by one.

import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { holds } from "../../../model/jobs/reports.ts"
import { RetryBudget } from "../../../model/jobs/retry-budget.ts"
import type { CompiledRetryPolicy } from "../../../model/jobs/retry-delay.ts"
import {
  type AfterFailure,
  planFailure,
  planLost,
  RETRY_PRESETS,
  type StandaloneFacts,
  type StandaloneFailure,
} from "../../../model/jobs/standalone-job.ts"
import type { ExpiredRow } from "../../../store/jobs/jobs.ts"
import {
  type CompletedRow,
  completeJobs,
  type LockedStandaloneRow,
  lockStandalone,
} from "../../../store/jobs/standalone-jobs.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { dispatchOf } from "../../flow/dispatch.ts"
import { refillLimits } from "../../flow/fill-limits.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { perKernel } from "../../kernel/kernel.ts"
import type { Guard } from "../../kernel/loops.ts"
import { METER_MS } from "../../kernel/loops.ts"
import { downtimeOf } from "./downtime.ts"
import type { Completion, Failure } from "./report-jobs.ts"
import { type PlannedEnd, writeEnds } from "./write-standalone.ts"

type Verdict = "accepted" | "not-holder"

const retryBudgetOf = perKernel(() => new RetryBudget())

export interface StandaloneReport<R> {
  readonly id: string
  readonly report: R
}

async function completeBatch(
  kernel: Kernel,
  items: readonly StandaloneReport<Completion>[],
): Promise<readonly Outcome<Verdict>[]> {
  kernel.metrics.batchSize.observe({ operation: "complete" }, items.length)
  const done = await kernel.db.transaction(async (tx) => {
    const ids = new Set<string>()
    completeWithin(kernel, tx, items, (id) => ids.add(id))
    return ids
  })
  // Of two reports on one job the first counts; the other is judged by what that one left.
  return items.map(({ id }) => ({ value: done.delete(id) ? "accepted" : "not-holder" }))
}

export function completeWithin(
  kernel: Kernel,
  tx: Transaction,
  items: readonly StandaloneReport<Completion>[],
  onDone: (id: string) => void,
): void {
  const reports = items.map(({ id, report: { token, workerId, variables } }) => ({
    id,
    epoch: token?.epoch ?? null,
    nonce: token?.nonce ?? null,
    workerId,
    result: variables ? JSON.stringify(variables) : null,
  }))
  completeJobs(tx, reports, (rows) => {
    for (const { instance_id } of rows) onDone(instance_id)
    kernel.metrics.jobsProcessed.inc({ status: "completed" }, rows.length)
    noteSuccesses(kernel, rows)
    const freed = rows.filter((row) => row.downstream !== null)
    dispatchOf(kernel).freed(freed.map((row) => row.queue_id))
    refillLimits(
      kernel,
      rows.map((row) => row.limit_key),
    )
    kernel.nudge("meter", METER_MS)
  })
}

function noteSuccesses(kernel: Kernel, rows: readonly CompletedRow[]): void {
  const counts = new Map<number, number>()
  for (const { queue_id } of rows) counts.set(queue_id, (counts.get(queue_id) ?? 0) + 1)
  for (const [id, count] of counts)
    retryBudgetOf(kernel).succeeded(queuesOf(kernel).of(id)?.jobType ?? "", count, kernel.clock.nowMs())
}

async function failBatch(
  kernel: Kernel,
  items: readonly StandaloneReport<Failure>[],
): Promise<readonly Outcome<Verdict>[]> {
  return kernel.db.transaction(async (tx) => {
    await setLockTimeout(tx)
    const rows = await lockStandalone(tx, [...new Set(items.map(({ id }) => id))].sort())
    const live = new Map(rows.map((row) => [row.instance_id, row]))
    const ends: PlannedEnd[] = []
    const verdicts = items.map(({ id, report }): Outcome<Verdict> => {
      const row = live.get(id)
      if (!row || !holds(report, leaseOf(row))) return { value: "not-holder" }
      live.delete(id)
      ends.push(endOf(row, withinBudget(kernel, row, planFailure(factsOf(row), report, kernel.random)), failed(report)))
      return { value: "accepted" }
    })
    writeEnds(kernel, tx, ends)
    return verdicts
  })
}

export const completions = batched<StandaloneReport<Completion>, Verdict>({
  run: completeBatch,
  flights: 2,
  sizeOf: ({ report }) => report.size ?? 0,
})

export const failures = batched<StandaloneReport<Failure>, Verdict>({
  run: failBatch,
  flights: 2,
  keyOf: ({ id }) => id,
})

/** A storm of retries comes back as slowly as the type can bear. */
function withinBudget(kernel: Kernel, row: LockedStandaloneRow, after: AfterFailure): AfterFailure {
  if (after.kind !== "retry") return after
  const jobType = queuesOf(kernel).of(row.queue_id)?.jobType ?? ""
  return { ...after, delayMs: retryBudgetOf(kernel).delayMs(jobType, after.delayMs, kernel.clock.nowMs()) }
}

const failed = ({ message }: StandaloneFailure) => ({
  outcome: "failed" as const,
  error: message || "the worker gave no reason",
  verb: "fail" as const,
})

/** Leases that ended: an attempt that ran too long has failed, a worker that went silent is lost (D-32). */
export async function endStandaloneLeases(kernel: Kernel, expired: readonly ExpiredRow[], guard: Guard): Promise<void> {
  const ended = new Map(expired.map((row) => [row.instance_id, row]))
  await kernel.db.transaction(async (tx) => {
    await guard(tx)
    const rows = await lockStandalone(tx, [...ended.keys()].sort())
    const ends = rows.flatMap((row) => {
      const lease = ended.get(row.instance_id)
      return row.expired && lease?.epoch === row.epoch ? [endOfLease(kernel, row, lease.lease_until)] : []
    })
    writeEnds(kernel, tx, ends)
  })
}

/** While nobody could take a report, neither silence nor time is held against anybody. */
function endOfLease(kernel: Kernel, row: LockedStandaloneRow, leaseUntil: number): PlannedEnd {
  const wasDown = downtimeOf(kernel).covers(leaseUntil)
  if (row.overran && !wasDown) return timedOut(kernel, row)
  const after = planLost(factsOf(row), kernel.settings.maxLostLeases, !wasDown)
  return endOf(row, after, { outcome: "lost", error: "heartbeat timeout", verb: null })
}

function timedOut(kernel: Kernel, row: LockedStandaloneRow): PlannedEnd {
  const error = "timed out: the attempt ran longer than it may"
  const after = planFailure(factsOf(row), { message: error, retryable: true }, kernel.random)
  return endOf(row, withinBudget(kernel, row, after), { outcome: "timed-out", error, verb: null })
}

const endOf = (row: LockedStandaloneRow, after: AfterFailure, how: PlannedEnd["how"]): PlannedEnd => ({
  row,
  after,
  how,
})

const leaseOf = (row: LockedStandaloneRow) => ({ epoch: row.epoch, nonce: row.nonce, workerId: row.worker_id })

const factsOf = (row: LockedStandaloneRow): StandaloneFacts => ({
  retriesLeft: row.retries_left,
  lostLeases: row.lost_leases,
  policy: row.retry === null ? RETRY_PRESETS.jittered : (JSON.parse(row.retry) as CompiledRetryPolicy),
})
