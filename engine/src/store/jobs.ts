// Typed access to live jobs.
import type { Database } from "../db/database.ts"
import { statements } from "../db/statements.ts"
import type { Transaction } from "../db/transaction.ts"
import { timestamp } from "../db/types.ts"
import type { LiveJobStatus } from "../model/machines/job-machine.ts"

const sql = statements(import.meta.url, "jobs", [
  "insertJobs",
  "insertLeasedJobs",
  "claimJobs",
  "giveBackJobs",
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
  "hasReady",
  "listWaitingJobs",
])

export interface JobKey {
  readonly instanceId: string
  readonly execution: number
}

const keys = (jobs: readonly JobKey[]): [string[], number[]] => [
  jobs.map((job) => job.instanceId),
  jobs.map((job) => job.execution),
]

export interface NewJobRow extends JobKey {
  readonly queueId: number
  readonly stepId: string
  readonly retries: number
  readonly runMs: number | null
  readonly createdAt: number
}

const newColumns = (jobs: readonly NewJobRow[]) => [
  ...keys(jobs),
  jobs.map((job) => job.queueId),
  jobs.map((job) => job.stepId),
  jobs.map((job) => job.retries),
  jobs.map((job) => job.runMs),
  jobs.map((job) => timestamp(job.createdAt)),
]

export const insertJobs = (tx: Transaction, jobs: readonly NewJobRow[]): void =>
  tx.write(sql.insertJobs, newColumns(jobs))

/** One place in a claim: the lease that the job which falls into it is given. */
export interface Slot {
  readonly nonce: string
  readonly workerId: string
  readonly leaseMs: number
}

export interface LeasedRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly queue_id: number
  readonly step_id: string
  readonly epoch: number
  readonly retries_left: number
  readonly lease_until: number
  readonly definition_id: string
  readonly business_key: string | null
  readonly variables: string
}

export interface ClaimedRow extends LeasedRow {
  readonly slot: number
  readonly seq: number
  /** Seconds from dispatch to this, the first claim; null at a later one. */
  readonly waited: number | null
  /** The claim's snapshot; on the row of slot 1 only. */
  readonly xmin: number | null
  readonly xmax: number | null
}

/** Jobs that somebody waits for: made and leased at once. */
export function insertLeasedJobs(
  tx: Transaction,
  jobs: readonly (NewJobRow & Slot)[],
  onRows: (rows: readonly (LeasedRow & { readonly nonce: string })[]) => void,
): void {
  const values = [
    ...newColumns(jobs),
    jobs.map((job) => job.nonce),
    jobs.map((job) => job.workerId),
    jobs.map((job) => job.leaseMs),
  ]
  tx.write(sql.insertLeasedJobs, values, onRows)
}

/** `after` is the low-water hint of each queue: ready jobs below it are found by the next scan without hint. */
export async function claimJobs(
  db: Database,
  queueIds: readonly number[],
  after: readonly number[],
  slots: readonly Slot[],
): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow>(sql.claimJobs, [
    queueIds,
    after,
    slots.length,
    slots.map((slot) => slot.nonce),
    slots.map((slot) => slot.workerId),
    slots.map((slot) => slot.leaseMs),
  ])
}

export interface HeldLease extends JobKey {
  readonly epoch: number
  readonly nonce: string
}

/** Ready again at once, as if never claimed: nobody has seen them. */
export async function giveBackJobs(db: Database, leases: readonly HeldLease[]): Promise<void> {
  await db.query(sql.giveBackJobs, [
    ...keys(leases),
    leases.map((lease) => lease.epoch),
    leases.map((lease) => lease.nonce),
  ])
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

export const deleteJobs = (tx: Transaction, jobs: readonly JobKey[]): void => tx.write(sql.deleteJobs, keys(jobs))

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
  readonly leaseMs: number
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
}

/** From `sinceMs` on: below it nothing is left but dead rows, which an old snapshot may keep from being vacuumed. */
export const listExpired = (db: Database, sinceMs: number, limit: number): Promise<ExpiredRow[]> =>
  db.query(sql.listExpired, [timestamp(sinceMs), limit])

/** Held jobs whose time has come go to the end of their queue. Returns the queues that got some. */
export async function releaseHeld(tx: Transaction, limit: number): Promise<number[]> {
  const rows = await tx.read<{ queue_id: number }>(sql.releaseHeld, [limit])
  return rows.map((row) => row.queue_id)
}

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

export async function hasReady(db: Database, queueIds: readonly number[], after: readonly number[]): Promise<boolean> {
  const [row] = await db.query<{ ready: boolean }>(sql.hasReady, [queueIds, after])
  return row?.ready ?? false
}

export interface WaitingJobRow extends Record<string, unknown> {
  readonly execution: number
  readonly status: LiveJobStatus
  readonly step_id: string
  readonly epoch: number
  readonly worker_id: string | null
  readonly lease_until: number | null
  readonly visible_at: number | null
  readonly waits_for: string | null
  readonly held_reason: string | null
  readonly created_at: number
  readonly job_type: string
  readonly priority: string
  readonly polled_at: number | null
  /** Jobs before it in its queue, counted to 1,000. */
  readonly ahead: number
}

export const listWaitingJobs = (db: Database, instanceId: string): Promise<WaitingJobRow[]> =>
  db.query(sql.listWaitingJobs, [instanceId])
