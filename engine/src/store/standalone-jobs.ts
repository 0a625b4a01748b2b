// Typed access to standalone jobs.
import type { Database } from "../db/database.ts"
import { statements } from "../db/statements.ts"
import type { Transaction } from "../db/transaction.ts"
import { timestamp } from "../db/types.ts"
import type { Priority } from "../model/definition.ts"
import type { LiveJobStatus } from "../model/machines/job-machine.ts"
import type { DeadReason } from "../model/planner/plan.ts"

const sql = statements(import.meta.url, "standalone-jobs", [
  "enqueueJobs",
  "completeJobs",
  "lockStandalone",
  "endJobs",
  "insertStandaloneAttempts",
  "requeueStandalone",
  "setLimits",
  "fillLimits",
  "listWaitingLimits",
  "findLiveJob",
  "findEndedJob",
])

export interface NewStandaloneJob {
  readonly id: string
  readonly queueId: number
  readonly priority: Priority
  readonly jobType: string
  /** JSON, as is the retry policy. */
  readonly payload: string
  readonly retries: number
  readonly retry: string | null
  /** Its own, and what its type has: that one is asked for again at every claim. */
  readonly runMs: number | null
  readonly typeRunMs: number
  readonly createdAt: number
  readonly delayMs: number
  readonly fairKey: string | null
  readonly limitKey: string | null
  readonly downstream: string | null
  readonly replayOf: string | null
  /** Refused when its gate is shut. */
  readonly isGated: boolean
  /** One job per type and key; the digest tells a repeat from another job. */
  readonly key?: string | undefined
  readonly digest?: Buffer | undefined
  /** Somebody waits for it: leased at once. */
  readonly lease?: { readonly nonce: string; readonly workerId: string; readonly leaseMs: number } | undefined
}

/** Where the gates stand that nobody has set while the engine runs. */
export interface Watermarks {
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly totalHighWatermark: number
  readonly totalLowWatermark: number
}

export interface EnqueueRow extends Record<string, unknown> {
  /** Those that were accepted. */
  readonly ids: string[]
  readonly leased_ids: string[]
  readonly leases: number[]
  /** The gates that are shut. */
  readonly shut: string[]
}

const enqueueValues = (jobs: readonly NewStandaloneJob[], marks: Watermarks) => [
  jobs.map((job) => job.id),
  jobs.map((job) => job.queueId),
  jobs.map((job) => job.priority),
  jobs.map((job) => job.jobType),
  jobs.map((job) => job.payload),
  jobs.map((job) => job.retries),
  jobs.map((job) => job.retry),
  jobs.map((job) => job.runMs),
  jobs.map((job) => job.delayMs),
  jobs.map((job) => job.fairKey),
  jobs.map((job) => job.limitKey),
  jobs.map((job) => job.downstream),
  jobs.map((job) => job.replayOf),
  jobs.map((job) => job.isGated),
  jobs.map((job) => job.lease?.nonce ?? null),
  jobs.map((job) => job.lease?.workerId ?? null),
  jobs.map((job) => job.lease?.leaseMs ?? null),
  marks.highWatermark,
  marks.lowWatermark,
  marks.totalHighWatermark,
  marks.totalLowWatermark,
  jobs.map((job) => job.typeRunMs),
  jobs.map((job) => job.key ?? null),
  jobs.map((job) => job.digest ?? null),
  jobs.map((job) => timestamp(job.createdAt)),
]

/** With the other writes, where nothing hangs on the answer before the commit. */
export const enqueueJobs = (
  tx: Transaction,
  jobs: readonly NewStandaloneJob[],
  marks: Watermarks,
  onRow: (row: EnqueueRow) => void,
): void => tx.write<EnqueueRow>(sql.enqueueJobs, enqueueValues(jobs, marks), ([row]) => onRow(row as EnqueueRow))

export async function enqueueJobsNow(
  tx: Transaction,
  jobs: readonly NewStandaloneJob[],
  marks: Watermarks,
): Promise<EnqueueRow> {
  const [row] = await tx.read<EnqueueRow>(sql.enqueueJobs, enqueueValues(jobs, marks))
  return row as EnqueueRow
}

export interface StandaloneCompletion {
  readonly id: string
  readonly epoch: number | null
  readonly nonce: string | null
  readonly workerId: string
  /** JSON. */
  readonly result: string | null
}

export interface CompletedRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly queue_id: number
  readonly limit_key: string | null
  readonly downstream: string | null
}

/** Those whose token was good. */
export const completeJobs = (
  tx: Transaction,
  reports: readonly StandaloneCompletion[],
  onRows: (rows: readonly CompletedRow[]) => void,
): void =>
  tx.write<CompletedRow>(
    sql.completeJobs,
    [
      reports.map((report) => report.id),
      reports.map((report) => report.epoch),
      reports.map((report) => report.nonce),
      reports.map((report) => report.workerId),
      reports.map((report) => report.result),
    ],
    onRows,
  )

export interface LockedStandaloneRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly queue_id: number
  readonly status: LiveJobStatus
  readonly retries_left: number
  readonly lost_leases: number
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
  readonly retry: string | null
  readonly limit_key: string | null
  readonly downstream: string | null
  readonly expired: boolean
  readonly overran: boolean
}

/** Waits for those that are just being claimed or extended. */
export const lockStandalone = (tx: Transaction, ids: readonly string[]): Promise<LockedStandaloneRow[]> =>
  tx.read(sql.lockStandalone, [ids])

export interface EndedJob {
  readonly id: string
  readonly status: "FAILED" | "CANCELLED"
  readonly error: string
  /** Into the dead letters, and why. */
  readonly dead?: { readonly id: string; readonly reason: DeadReason; readonly failure: string } | undefined
  /** The report that ended it; none where the engine or an operator did. */
  readonly verb: "complete" | "fail" | null
  readonly endedAt: number
}

export const endJobs = (
  tx: Transaction,
  jobs: readonly EndedJob[],
  onGone: (queueIds: readonly number[]) => void,
): void =>
  tx.write<{ queue_id: number }>(
    sql.endJobs,
    [
      jobs.map((job) => job.id),
      jobs.map((job) => job.status),
      jobs.map((job) => job.error),
      jobs.map((job) => job.dead?.reason ?? null),
      jobs.map((job) => job.dead?.failure ?? null),
      jobs.map((job) => job.dead?.id ?? null),
      jobs.map((job) => job.verb),
      jobs.map((job) => timestamp(job.endedAt)),
    ],
    (rows) => onGone(rows.map((row) => row.queue_id)),
  )

export interface StandaloneAttempt {
  readonly id: string
  readonly epoch: number
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly nonce: string | null
  readonly workerId: string | null
  readonly error: string
  readonly endedAt: number
}

export const insertStandaloneAttempts = (tx: Transaction, attempts: readonly StandaloneAttempt[]): void =>
  tx.write(sql.insertStandaloneAttempts, [
    attempts.map((attempt) => attempt.id),
    attempts.map((attempt) => attempt.epoch),
    attempts.map((attempt) => attempt.outcome),
    attempts.map((attempt) => attempt.nonce),
    attempts.map((attempt) => attempt.workerId),
    attempts.map((attempt) => attempt.error),
    attempts.map((attempt) => timestamp(attempt.endedAt)),
  ])

export interface RequeuedStandalone {
  readonly id: string
  readonly delayMs: number
  readonly retriesLeft: number
  readonly lostLeases: number
  readonly keepsToken: boolean
  readonly reason: string
}

/** Tells which queues have a ready job more. */
export const requeueStandalone = (
  tx: Transaction,
  jobs: readonly RequeuedStandalone[],
  onReady: (queueIds: readonly number[]) => void,
): void =>
  tx.write<{ queue_id: number; status: LiveJobStatus }>(
    sql.requeueStandalone,
    [
      jobs.map((job) => job.id),
      jobs.map((job) => job.delayMs),
      jobs.map((job) => job.retriesLeft),
      jobs.map((job) => job.lostLeases),
      jobs.map((job) => job.keepsToken),
      jobs.map((job) => job.reason),
    ],
    (rows) => onReady(rows.flatMap((row) => (row.status === "ready" ? [row.queue_id] : []))),
  )

export const setLimits = (tx: Transaction, limits: readonly { readonly key: string; readonly max: number }[]): void =>
  tx.write(sql.setLimits, [limits.map(({ key }) => key), limits.map(({ max }) => max)])

/** Returns the queues that have a ready job more. */
export async function fillLimits(tx: Transaction, keys: readonly string[]): Promise<number[]> {
  const rows = await tx.read<{ queue_id: number }>(sql.fillLimits, [keys])
  return rows.map((row) => row.queue_id)
}

/** Keys of jobs that are not finished, from one on. */
export async function listWaitingLimits(db: Database, afterKey: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql.listWaitingLimits, [afterKey, limit])
  return rows.map((row) => row.key)
}

interface JobRowBase extends Record<string, unknown> {
  readonly id: string
  readonly job_type: string
  readonly priority: Priority
  readonly downstream: string
  readonly payload: string
  readonly worker_id: string | null
  readonly replay_of: string | null
  readonly created_at: number
}

export interface LiveJobRow extends JobRowBase {
  readonly status: LiveJobStatus
  readonly retries_left: number
  readonly lost_leases: number
  readonly lease_until: number | null
  readonly visible_at: number | null
  readonly held_reason: string | null
  readonly limit_key: string | null
  readonly fair_key: string | null
  readonly claimed_at: number | null
  readonly failures: number
  readonly error: string | null
  readonly failed_at: number | null
}

export interface EndedJobRow extends JobRowBase {
  readonly status: "COMPLETED" | "FAILED" | "CANCELLED"
  readonly result: string | null
  readonly retry_count: number
  readonly failure_reason: string | null
  readonly started_at: number
  readonly ended_at: number
}

export async function findLiveJob(db: Database, id: string): Promise<LiveJobRow | undefined> {
  const [row] = await db.query<LiveJobRow>(sql.findLiveJob, [id])
  return row
}

export async function findEndedJob(db: Database, id: string): Promise<EndedJobRow | undefined> {
  const [row] = await db.query<EndedJobRow>(sql.findEndedJob, [id])
  return row
}
