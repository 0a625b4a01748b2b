// Typed access to standalone jobs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { DeadReason } from "../../model/jobs/after-attempt.ts"
import type { LiveJobStatus } from "../../model/jobs/job-machine.ts"

const sql = statements(import.meta.url, "standalone-jobs", [
  "completeJobs",
  "endJobs",
  "setLimits",
  "fillLimits",
  "listWaitingLimits",
  "findLiveJob",
  "findEndedJob",
])

export interface StandaloneCompletion {
  readonly id: string
  readonly epoch: number | null
  readonly nonce: string | null
  readonly workerId: string
  /** JSON. */
  readonly result: string | null
}

export interface CompletedRow extends Record<string, unknown> {
  /** The report that completed it: its place in the list, from 0 on. */
  readonly report: number
  readonly queue_id: number
  readonly limit_key: string | null
  readonly downstream: string | null
}

/** Tells which were completed: those whose token was good. */
export const completeJobs = (
  tx: Transaction,
  reports: readonly StandaloneCompletion[],
  onRows: (rows: readonly CompletedRow[]) => void,
): void =>
  tx.write<CompletedRow>(
    sql.completeJobs,
    {
      reports: reports.map((report) => ({
        id: report.id,
        epoch: report.epoch,
        nonce: report.nonce,
        worker_id: report.workerId,
        result: report.result,
      })),
    },
    onRows,
  )

export interface EndedJob {
  readonly id: string
  readonly status: "FAILED" | "CANCELLED"
  readonly error: string
  /** Set where it goes into the dead letters. */
  readonly dead?: { readonly id: string; readonly reason: DeadReason; readonly failure: string } | undefined
  /** The report that ended it; none where the engine or an operator did. */
  readonly verb: "complete" | "fail" | null
  readonly endedAt: number
}

export const endJobs = (tx: Transaction, jobs: readonly EndedJob[]): void =>
  tx.write(sql.endJobs, {
    jobs: jobs.map((job) => ({
      id: job.id,
      status: job.status,
      error: job.error,
      reason: job.dead?.reason ?? null,
      failure: job.dead?.failure ?? null,
      dead_id: job.dead?.id ?? null,
      verb: job.verb,
      ended_at: timestamp(job.endedAt),
    })),
  })

export interface NewLimit {
  readonly key: string
  readonly max: number
  /** One that is there stands: a replay brings along what was said long ago. */
  readonly keeps: boolean
}

export const setLimits = (tx: Transaction, limits: readonly NewLimit[]): void =>
  tx.write(sql.setLimits, { limits: limits.map(({ key, max, keeps }) => ({ key, max, keeps })) })

export interface LimitFill {
  readonly keys: readonly string[]
  /** The weights of critical, high and normal, in this order. */
  readonly weights: readonly number[]
  /** One for each of them, above 0 and up to 1. */
  readonly draws: readonly number[]
}

/** The queues in which jobs have become ready. */
export async function fillLimits(tx: Transaction, fill: LimitFill): Promise<number[]> {
  const rows = await tx.read<{ queue_id: number }>(sql.fillLimits, { ...fill })
  return rows.map((row) => row.queue_id)
}

/** Limit keys that jobs wait for, in order, after the one given. */
export async function listWaitingLimits(db: Database, afterKey: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql.listWaitingLimits, { afterKey, limit })
  return rows.map((row) => row.key)
}

interface JobRowBase extends Record<string, unknown> {
  readonly id: string
  readonly job_type: string
  readonly key: string | null
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

export async function findLiveJob(reader: Reader, id: string): Promise<LiveJobRow | undefined> {
  const [row] = await reader.read<LiveJobRow>(sql.findLiveJob, { id })
  return row
}

export async function findEndedJob(reader: Reader, id: string): Promise<EndedJobRow | undefined> {
  const [row] = await reader.read<EndedJobRow>(sql.findEndedJob, { id })
  return row
}
