// Typed access to live jobs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { LiveJobStatus } from "../../model/jobs/job-machine.ts"

const sql = statements(import.meta.url, "jobs", [
  "insertJobs",
  "lockJobs",
  "lockJob",
  "listLiveJobs",
  "deleteJobs",
  "requeueJobs",
  "heartbeatJobs",
  "listExpired",
  "releaseHeld",
  "releaseLinked",
  "findJob",
  "listHolders",
])

export interface JobKey {
  readonly instanceId: string
  readonly execution: number
}

export const keys = (jobs: readonly JobKey[]): [string[], number[]] => [
  jobs.map((job) => job.instanceId),
  jobs.map((job) => job.execution),
]

export interface NewJobRow extends JobKey {
  readonly queueId: number
  readonly stepId: string
  readonly retries: number
  readonly runMs: number | null
  readonly createdAt: number
  /** Empty: none. */
  readonly downstream?: string
}

export const newColumns = (jobs: readonly NewJobRow[]) => [
  ...keys(jobs),
  jobs.map((job) => job.queueId),
  jobs.map((job) => job.stepId),
  jobs.map((job) => job.retries),
  jobs.map((job) => job.runMs),
  jobs.map((job) => timestamp(job.createdAt)),
  jobs.map((job) => job.downstream || null),
]

export const insertJobs = (tx: Transaction, jobs: readonly NewJobRow[]): void =>
  tx.write(sql.insertJobs, newColumns(jobs))

export interface HeldLease extends JobKey {
  readonly epoch: number
  readonly nonce: string
}

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
  readonly expired: boolean
  readonly overran: boolean
}

/** One that somebody else holds is left out, not waited for: a batch would wait for a stranger's transaction. */
export const lockJobs = (tx: Transaction, jobs: readonly JobKey[]): Promise<LockedJobRow[]> =>
  tx.read(sql.lockJobs, keys(jobs))

/** Waits for the lock, as long as lock_timeout allows. */
export const lockJob = (tx: Transaction, job: JobKey): Promise<LockedJobRow[]> => tx.read(sql.lockJob, keys([job]))

export async function listLiveJobs(tx: Transaction, jobs: readonly JobKey[]): Promise<JobKey[]> {
  const rows = await tx.read<{ instance_id: string; execution: number }>(sql.listLiveJobs, keys(jobs))
  return rows.map((row) => ({ instanceId: row.instance_id, execution: row.execution }))
}

/** Tells which queues have a live job less. */
export const deleteJobs = (
  tx: Transaction,
  jobs: readonly JobKey[],
  onGone: (queueIds: readonly number[]) => void = () => {},
): void => tx.write<{ queue_id: number }>(sql.deleteJobs, keys(jobs), (rows) => onGone(rows.map((row) => row.queue_id)))

export interface RequeuedJobRow extends JobKey {
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
  const values = [
    ...keys(jobs),
    jobs.map((job) => job.delayMs),
    jobs.map((job) => job.retriesLeft),
    jobs.map((job) => job.lostLeases),
    jobs.map((job) => job.keepsToken),
    jobs.map((job) => (job.waitsFor?.length ? job.waitsFor.join("\n") : null)),
    jobs.map((job) => job.reason ?? null),
  ]
  tx.write<{ queue_id: number; status: LiveJobStatus }>(sql.requeueJobs, values, (rows) =>
    onReady(rows.filter((row) => row.status === "ready").map((row) => row.queue_id)),
  )
}

export interface Heartbeat extends JobKey {
  readonly epoch: number | null
  readonly nonce: string | null
  readonly workerId: string
  /** Null: as much as the claim gave. */
  readonly leaseMs: number | null
}

export interface HeartbeatRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
  readonly lease_until: number
}

export const heartbeatJobs = (db: Database, beats: readonly Heartbeat[]): Promise<HeartbeatRow[]> =>
  db.query(sql.heartbeatJobs, [
    ...keys(beats),
    beats.map((beat) => beat.epoch),
    beats.map((beat) => beat.nonce),
    beats.map((beat) => beat.workerId),
    beats.map((beat) => beat.leaseMs),
  ])

export interface ExpiredRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly epoch: number
  readonly lease_until: number
}

/** From `sinceMs` on: below it nothing is left but dead rows, which an old snapshot may keep from being vacuumed. */
export const listExpired = (db: Database, sinceMs: number, limit: number): Promise<ExpiredRow[]> =>
  db.query(sql.listExpired, [timestamp(sinceMs), limit])

export interface ReleasedRow extends Record<string, unknown> {
  readonly queue_id: number
  /** Its turn comes when the limit has room. */
  readonly limit_key: string | null
}

/** Held jobs whose time has come go to the end of their queue. */
export const releaseHeld = (tx: Transaction, limit: number): Promise<ReleasedRow[]> => tx.read(sql.releaseHeld, [limit])

/** Held jobs of the instances that carry a linking id need not wait any longer. Returns their queues. */
export async function releaseLinked(tx: Transaction, linkingId: string): Promise<number[]> {
  const rows = await tx.read<{ queue_id: number }>(sql.releaseLinked, [linkingId])
  return rows.map((row) => row.queue_id)
}

export interface JobRow extends Record<string, unknown> {
  readonly status: LiveJobStatus
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
}

export async function findJob(db: Database, { instanceId, execution }: JobKey): Promise<JobRow | undefined> {
  const [row] = await db.query<JobRow>(sql.findJob, [instanceId, execution])
  return row
}

/** Who works on which execution of an instance just now. */
export const listHolders = (
  db: Database,
  instanceId: string,
): Promise<{ readonly execution: number; readonly worker_id: string }[]> => db.query(sql.listHolders, [instanceId])
