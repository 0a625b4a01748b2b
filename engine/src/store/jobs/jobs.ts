// Typed access to live jobs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { LiveJobStatus } from "../../model/jobs/job-machine.ts"
import { assert } from "../../support/assert.ts"
import type { ExecutionKey } from "../../support/ids.ts"
import type { JobKey } from "../../support/job-key.ts"
import { type JobColumns, stepColumns, toColumns } from "./job-columns.ts"

const sql = statements(import.meta.url, "jobs", [
  "insertJobs",
  "lockFreeJobs",
  "lockJobs",
  "listLiveJobs",
  "deleteJobs",
  "requeueJobs",
  "spendRetries",
  "heartbeatJobs",
  "listEndedLeases",
  "releaseHeld",
  "releaseLinked",
  "findJob",
  "listHolders",
])

export interface NewJobRow extends ExecutionKey {
  readonly queueId: number
  readonly stepId: string
  readonly retries: number
  readonly runMs: number | null
  readonly createdAt: number
  /** Empty where the job goes to none. */
  readonly downstream?: string
  /** The idempotency key, where it is that of an earlier job. */
  readonly effectKey?: string | undefined
}

export const toNewJob = (job: NewJobRow) => ({
  instance_id: job.instanceId,
  execution: job.execution,
  queue_id: job.queueId,
  step_id: job.stepId,
  retries: job.retries,
  run_ms: job.runMs,
  created_at: timestamp(job.createdAt),
  downstream: job.downstream || null,
  effect_key: job.effectKey ?? null,
})

export const insertJobs = (tx: Transaction, jobs: readonly NewJobRow[]): void =>
  tx.write(sql.insertJobs, { jobs: jobs.map(toNewJob) })

/** A lease on the job of a step. */
export interface HeldLease extends ExecutionKey {
  readonly epoch: number
  readonly nonce: string
}

/** A job under lock, with where it comes from and what it goes to. */
export interface LockedJobRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly status: LiveJobStatus
  readonly retries_left: number
  readonly lost_leases: number
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
  readonly seen_version: number | null
  readonly queue_id: number
  readonly limit_key: string | null
  readonly downstream: string | null
  /** JSON; its own policy where it has one, which only a standalone job may. */
  readonly retry: string | null
  readonly expired: boolean
  readonly overran: boolean
}

/** A job that another transaction holds is left out: a batch must not wait for a caller's open transaction. */
export const lockFreeJobs = (tx: Transaction, jobs: readonly JobKey[]): Promise<LockedJobRow[]> =>
  tx.read(sql.lockFreeJobs, { jobs: jobs.map(toColumns) })

/** In the order of their keys, waiting for each as long as lock_timeout allows. */
export const lockJobs = (tx: Transaction, jobs: readonly JobKey[]): Promise<LockedJobRow[]> =>
  tx.read(sql.lockJobs, { jobs: jobs.map(toColumns) })

export async function listLiveJobs(tx: Transaction, jobs: readonly ExecutionKey[]): Promise<ExecutionKey[]> {
  const rows = await tx.read<{ instance_id: string; execution: number }>(sql.listLiveJobs, {
    jobs: jobs.map(stepColumns),
  })
  return rows.map((row) => ({ instanceId: row.instance_id, execution: row.execution }))
}

/** Tells which queues have a live job less. */
export const deleteJobs = (
  tx: Transaction,
  jobs: readonly ExecutionKey[],
  onGone: (queueIds: readonly number[]) => void = () => {},
): void =>
  tx.write<{ queue_id: number }>(sql.deleteJobs, { jobs: jobs.map(stepColumns) }, (rows) =>
    onGone(rows.map((row) => row.queue_id)),
  )

export interface RequeuedJobRow {
  readonly key: JobKey
  /** Null: until something else than the time makes it ready. */
  readonly delayMs: number | null
  readonly waitsFor?: readonly string[]
  readonly reason?: string
  readonly retriesLeft: number
  readonly lostLeases: number
  readonly keepsToken: boolean
}

/** Tells which queues have a ready job more. */
export function requeueJobs(
  tx: Transaction,
  jobs: readonly RequeuedJobRow[],
  onReady: (queueIds: readonly number[]) => void,
): void {
  const requeued = jobs.map((job) => ({
    ...toColumns(job.key),
    delay_ms: checkedDelay(job.delayMs),
    retries_left: job.retriesLeft,
    lost_leases: job.lostLeases,
    keeps_token: job.keepsToken,
    waits_for: job.waitsFor?.length ? job.waitsFor.join("\n") : null,
    reason: job.reason ?? null,
  }))
  tx.write<{ queue_id: number; status: LiveJobStatus }>(sql.requeueJobs, { jobs: requeued }, (rows) =>
    onReady(rows.filter((row) => row.status === "ready").map((row) => row.queue_id)),
  )
}

export interface SpentRetryRow extends ExecutionKey {
  readonly retriesLeft: number
}

/** Whichever worker has the jobs keeps them. */
export const spendRetries = (tx: Transaction, jobs: readonly SpentRetryRow[]): void =>
  tx.write(sql.spendRetries, { jobs: jobs.map((job) => ({ ...stepColumns(job), retries_left: job.retriesLeft })) })

/** What is no number becomes null on its way to the database, and the job would be held for ever. */
function checkedDelay(delayMs: number | null): number | null {
  assert(delayMs === null || Number.isFinite(delayMs), `a job is requeued after a time, not after ${delayMs} ms`)
  return delayMs
}

export interface Heartbeat {
  readonly key: JobKey
  readonly epoch: number | null
  readonly nonce: string | null
  readonly workerId: string
  /** Null: as long as the claim gave. */
  readonly leaseMs: number | null
}

export interface HeartbeatRow extends Record<string, unknown>, JobColumns {
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
  readonly lease_until: number
}

export const heartbeatJobs = (db: Database, beats: readonly Heartbeat[]): Promise<HeartbeatRow[]> =>
  db.query(sql.heartbeatJobs, {
    beats: beats.map((beat) => ({
      ...toColumns(beat.key),
      epoch: beat.epoch,
      nonce: beat.nonce,
      worker_id: beat.workerId,
      lease_ms: beat.leaseMs,
    })),
  })

/** A lease whose time is over, as it was listed: without a lock. */
export interface EndedLeaseRow extends Record<string, unknown>, JobColumns {
  readonly epoch: number
  readonly lease_until: number
  /** Null where a version before this column has claimed it. */
  readonly claimed_at: number | null
}

interface EndedLeasePage {
  /** Below it nothing is left but dead rows, which an old snapshot may keep from being vacuumed. */
  readonly sinceMs: number
  /** So many are left out: they were looked at before. */
  readonly passed: number
  readonly limit: number
}

export const listEndedLeases = (db: Database, { sinceMs, passed, limit }: EndedLeasePage): Promise<EndedLeaseRow[]> =>
  db.query(sql.listEndedLeases, { since: timestamp(sinceMs), passed, limit })

export interface ReleasedRow extends Record<string, unknown> {
  readonly queue_id: number
  /** Its turn comes when the limit has room. */
  readonly limit_key: string | null
}

/** Held jobs whose time has come go to the end of their queue. */
export const releaseHeld = (tx: Transaction, limit: number): Promise<ReleasedRow[]> =>
  tx.read(sql.releaseHeld, { limit })

/** Held jobs of the instances that carry a linking id need not wait any longer. Returns their queues. */
export async function releaseLinked(tx: Transaction, linkingId: string): Promise<number[]> {
  const rows = await tx.read<{ queue_id: number }>(sql.releaseLinked, { linkingId })
  return rows.map((row) => row.queue_id)
}

export interface JobRow extends Record<string, unknown> {
  readonly status: LiveJobStatus
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
}

export async function findJob(db: Database, key: JobKey): Promise<JobRow | undefined> {
  const [row] = await db.query<JobRow>(sql.findJob, { ...toColumns(key) })
  return row
}

/** Who works on which execution of an instance just now. */
export const listHolders = (
  db: Database,
  instanceId: string,
): Promise<{ readonly execution: number; readonly worker_id: string }[]> => db.query(sql.listHolders, { instanceId })
