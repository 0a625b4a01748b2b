// Typed access to claims: ready jobs that are leased, and the pace of the downstreams they go to.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { JobKey } from "../../support/job-key.ts"
import { type JobColumns, toColumns } from "./job-columns.ts"
import { type NewJobRow, toNewJob } from "./jobs.ts"

const sql = statements(import.meta.url, "claims", [
  "claimJobs",
  "claimFairJobs",
  "lockPaces",
  "readPaces",
  "spendPaces",
  "slowDown",
  "insertLeasedJobs",
  "giveBackJobs",
  "anyHeld",
  "lookAgain",
])

/** One place in a claim: the lease that the job which falls into it is given. */
export interface Slot {
  readonly nonce: string
  readonly workerId: string
  /** Undefined: the default of the queue. */
  readonly leaseMs?: number | undefined
  /** The worker sends heartbeats, whether or not it names a length. */
  readonly beats?: boolean | undefined
}

export interface LeasedRow extends Record<string, unknown>, JobColumns {
  /** Where the job is in a pack: the token of the pack, and its place there. */
  readonly packed?: { readonly nonce: string; readonly place: number }
  readonly queue_id: number
  readonly step_id: string
  readonly epoch: number
  readonly retries_left: number
  readonly lease_until: number
  readonly run_ms: number | null
  /** Null for a standalone job, as is the business key. */
  readonly definition_id: string | null
  readonly business_key: string | null
  /** The idempotency key, where it is that of an earlier job. */
  readonly effect_key: string | null
  readonly variables: string
  readonly trace_context: string | null
}

export interface ClaimedRow extends LeasedRow {
  readonly slot: number
  readonly seq: number
  readonly fair_key?: string
  /** Seconds from dispatch to this, the first claim; null at a later one. */
  readonly waited: number | null
  /** The claim's snapshot; on the row of slot 1 only. */
  readonly xmin: number | null
  readonly xmax: number | null
}

/** What a claim took of one queue, and the snapshot that it saw. */
export interface SeqRange {
  readonly queueId: number
  readonly lowest: number
  readonly highest: number
  readonly xmin: number
  readonly xmax: number
}

/** A queue to read from. */
export interface QueueAsk {
  readonly queueId: number
  /** The low-water hint: ready jobs below it are found by the next scan without hint. */
  readonly after: number
  /** Queues with the same number are read as one, in order of becoming ready. */
  readonly group: number
  /** How many to take from the queue at most, and from its group. */
  readonly quota: number
  readonly groupQuota: number
  readonly hasNeighbours: boolean
  readonly leaseMs: number
  readonly runMs: number | null
  readonly isStep: boolean
  /** Its jobs may be packed. */
  readonly mayPack: boolean
}

export type Query = <R extends Record<string, unknown>>(...of: Parameters<Transaction["read"]>) => Promise<readonly R[]>

interface Wanted {
  readonly asks: readonly QueueAsk[]
  /** For a step's job where the worker names no length and sends no heartbeat: by how many leases it has lost. */
  readonly stepLeases: readonly number[]
  readonly isEndless: boolean
}

export const claimJobs = (
  query: Query,
  { asks, stepLeases, isEndless }: Wanted,
  slots: readonly Slot[],
): Promise<readonly ClaimedRow[]> =>
  query<ClaimedRow>(sql.claimJobs, {
    asks: asks.map((ask) => ({
      queue_id: ask.queueId,
      after: ask.after,
      group_no: ask.group,
      quota: ask.quota,
      group_quota: ask.groupQuota,
      has_neighbours: ask.hasNeighbours,
      lease_ms: ask.leaseMs,
      run_ms: ask.runMs,
      is_step: ask.isStep,
    })),
    nonces: slots.map((slot) => slot.nonce),
    workerIds: slots.map((slot) => slot.workerId),
    leaseMs: slots.map((slot) => slot.leaseMs ?? null),
    beats: slots.map((slot) => slot.beats ?? false),
    stepLeases,
    isEndless,
  })

/** Where these rows lay in their queues. The snapshot is on one of them. */
export function rangesOf(rows: readonly ClaimedRow[]): SeqRange[] {
  const first = rows.find((row) => row.xmin !== null)
  if (first?.xmin == null || first.xmax === null) return []
  const { xmin, xmax } = first
  const ranges = new Map<number, { queueId: number; lowest: number; highest: number; xmin: number; xmax: number }>()
  for (const { queue_id: queueId, seq } of rows) {
    const range = ranges.get(queueId)
    if (!range) ranges.set(queueId, { queueId, lowest: seq, highest: seq, xmin, xmax })
    else {
      range.lowest = Math.min(range.lowest, seq)
      range.highest = Math.max(range.highest, seq)
    }
  }
  return [...ranges.values()]
}

export interface FairAsk {
  readonly queueId: number
  /** The key that was served last. */
  readonly afterKey: string
  readonly quota: number
  /** How many of the quota go to the jobs that have waited longest, whatever their key. */
  readonly aged: number
  readonly leaseMs: number
  readonly runMs: number | null
  readonly isEndless: boolean
}

export const claimFairJobs = (query: Query, ask: FairAsk, slots: readonly Slot[]): Promise<readonly ClaimedRow[]> =>
  query<ClaimedRow>(sql.claimFairJobs, {
    queueId: ask.queueId,
    afterKey: ask.afterKey,
    quota: ask.quota,
    aged: ask.aged,
    leaseMs: ask.leaseMs,
    runMs: ask.runMs,
    isEndless: ask.isEndless,
    nonces: slots.map((slot) => slot.nonce),
    workerIds: slots.map((slot) => slot.workerId),
    slotLeaseMs: slots.map((slot) => slot.leaseMs ?? null),
  })

export interface PaceRow extends Record<string, unknown> {
  readonly name: string
  readonly per_second: number | null
  readonly concurrency: number | null
  readonly share: number
  readonly slowed_ms_ago: number
  readonly saved_ms: number
  readonly closed_ms: number
  readonly in_flight: number
}

/** Locked until the transaction ends: no other claim spends what is read here. */
export async function lockPaces(tx: Transaction, names: readonly string[], isDurable: boolean): Promise<PaceRow[]> {
  const locked = tx.read(sql.lockPaces, { names, isDurable })
  const [, rows] = await Promise.all([locked, tx.read<PaceRow>(sql.readPaces, { names })])
  return rows
}

export interface Spending {
  readonly name: string
  readonly sliceMs: number
  readonly spentMs: number
}

const toSpendings = (spendings: readonly Spending[]) => ({
  spendings: spendings.map(({ name, sliceMs, spentMs }) => ({ name, slice_ms: sliceMs, spent_ms: spentMs })),
})

export const spendPaces = (tx: Transaction, spendings: readonly Spending[]): void =>
  tx.write(sql.spendPaces, toSpendings(spendings))

/** At once, so that a later claim of the same transaction sees it. */
export const spendPacesNow = (tx: Transaction, spendings: readonly Spending[]): Promise<unknown> =>
  tx.read(sql.spendPaces, toSpendings(spendings))

/** A job whose downstream could not take it, and how long that asked to be left alone. */
export interface PushBack {
  readonly key: JobKey
  readonly closedMs: number
}

export interface Slowing {
  readonly leastShare: number
  readonly recoveryPerSecond: number
  readonly factor: number
}

/** Slows down the downstreams of these jobs that adapt. */
export async function slowDown(db: Database, pushes: readonly PushBack[], how: Slowing): Promise<void> {
  const rows = pushes.map((push) => ({ ...toColumns(push.key), closed_ms: push.closedMs }))
  await db.query(sql.slowDown, { pushes: rows, ...how })
}

/** Jobs that a worker waits for: made and leased at once. */
export function insertLeasedJobs(
  tx: Transaction,
  jobs: readonly (NewJobRow & Slot & { readonly leaseMs: number })[],
  onRows: (rows: readonly (LeasedRow & { readonly nonce: string })[]) => void,
): void {
  const rows = jobs.map((job) => ({
    ...toNewJob(job),
    nonce: job.nonce,
    worker_id: job.workerId,
    lease_ms: job.leaseMs,
  }))
  tx.write(sql.insertLeasedJobs, { jobs: rows }, onRows)
}

export interface ClaimedLease {
  readonly key: JobKey
  readonly epoch: number
  readonly nonce: string
}

/** Ready again at once, and as if they had not been claimed: no handler has seen them. */
export async function giveBackJobs(db: Database, leases: readonly ClaimedLease[]): Promise<void> {
  await db.query(sql.giveBackJobs, { leases: leases.map(toLeaseRow) })
}

/** Whether one of these is the lease of its job still. */
export async function anyHeld(db: Database, leases: readonly ClaimedLease[]): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>(sql.anyHeld, { leases: leases.map(toLeaseRow) })
  return row?.held ?? false
}

const toLeaseRow = ({ key, epoch, nonce }: ClaimedLease) => ({ ...toColumns(key), epoch, nonce })

interface SecondLook extends Record<string, unknown> {
  /** Something is ready: other claims have locked it. */
  readonly ready: boolean
  /** The mark of all queues; null where there is none. */
  readonly queues: number | null
}

export async function lookAgain(
  db: Database,
  queueIds: readonly number[],
  after: readonly number[],
): Promise<SecondLook> {
  const [row] = await db.query<SecondLook>(sql.lookAgain, { queueIds, after })
  return row ?? { ready: false, queues: null }
}
