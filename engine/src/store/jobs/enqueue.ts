// Typed access to the intake of standalone jobs: admission, jobs and depth in one statement.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { Traced } from "../observability/traced.ts"

const sql = statements(import.meta.url, "enqueue", ["enqueueJobs", "enqueueAlike", "turnGates"])

export interface NewStandaloneJob extends Traced {
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
  /** The idempotency key, where it is that of the job whose place it takes. */
  readonly effectKey: string | null
  /** Refused when its gate is shut. */
  readonly isGated: boolean
  /** One job per type and key; the digest tells a repeat from another job. */
  readonly key?: string | undefined
  readonly digest?: Buffer | undefined
  /** A worker waits for it: leased at once. */
  readonly lease?: { readonly nonce: string; readonly workerId: string; readonly leaseMs: number } | undefined
}

/** The configured watermarks: in force where an operator has set no others. */
export interface Watermarks {
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly totalHighWatermark: number
  readonly totalLowWatermark: number
}

export interface EnqueueRow extends Record<string, unknown> {
  /** The jobs that were accepted. */
  readonly ids: string[]
  readonly leased_ids: string[]
  readonly leases: number[]
  /** The gates that are shut. */
  readonly shut: string[]
}

const marksOf = (marks: Watermarks) => ({
  high: marks.highWatermark,
  low: marks.lowWatermark,
  totalHigh: marks.totalHighWatermark,
  totalLow: marks.totalLowWatermark,
})

const enqueueValues = (jobs: readonly NewStandaloneJob[], marks: Watermarks) => ({
  ...marksOf(marks),
  jobs: jobs.map((job) => ({
    id: job.id,
    queue_id: job.queueId,
    priority: job.priority,
    job_type: job.jobType,
    payload: job.payload,
    retries: job.retries,
    retry: job.retry,
    run_ms: job.runMs,
    type_run_ms: job.typeRunMs,
    delay_ms: job.delayMs,
    fair_key: job.fairKey,
    limit_key: job.limitKey,
    downstream: job.downstream,
    replay_of: job.replayOf,
    effect_key: job.effectKey,
    is_gated: job.isGated,
    nonce: job.lease?.nonce ?? null,
    worker_id: job.lease?.workerId ?? null,
    lease_ms: job.lease?.leaseMs ?? null,
    key: job.key ?? null,
    digest: job.digest ?? null,
    created_at: timestamp(job.createdAt),
    trace_context: job.trace ?? null,
  })),
})

/** Turns the gates by the depth there is now. Returns those that are shut. */
export async function turnGates(db: Database, marks: Watermarks): Promise<string[]> {
  const [row] = await db.query<{ shut: string[] }>(sql.turnGates, marksOf(marks))
  return row?.shut ?? []
}

interface AlikeRow extends Record<string, unknown> {
  readonly made: number
  readonly shut: string[]
}

/** Ready at once, with neither key nor lease, and in everything but the payload like the first. */
export function areAlike([first, ...others]: readonly NewStandaloneJob[]): boolean {
  const isPlain = (job: NewStandaloneJob) =>
    job.delayMs === 0 &&
    !job.lease &&
    job.key === undefined &&
    job.fairKey === null &&
    job.limitKey === null &&
    job.replayOf === null
  const isLike = (job: NewStandaloneJob) =>
    job.queueId === first?.queueId &&
    job.retries === first.retries &&
    job.retry === first.retry &&
    job.runMs === first.runMs &&
    job.isGated === first.isGated &&
    job.trace === first.trace
  return first !== undefined && isPlain(first) && others.every((job) => isLike(job) && isPlain(job))
}

function alikeValues(jobs: readonly NewStandaloneJob[], marks: Watermarks) {
  const first = jobs[0] as NewStandaloneJob
  return {
    ...marksOf(marks),
    queueId: first.queueId,
    priority: first.priority,
    jobType: first.jobType,
    retries: first.retries,
    retry: first.retry,
    runMs: first.runMs,
    downstream: first.downstream,
    isGated: first.isGated,
    createdAt: timestamp(first.createdAt),
    trace: first.trace ?? null,
    ids: jobs.map((job) => job.id),
    payloads: `[${jobs.map((job) => job.payload).join()}]`,
  }
}

/** All of them or none: they have one priority. */
const alikeAnswer = (jobs: readonly NewStandaloneJob[], { made, shut }: AlikeRow): EnqueueRow => ({
  ids: made > 0 ? jobs.map((job) => job.id) : [],
  leased_ids: [],
  leases: [],
  shut,
})

/** With the other writes, where nothing hangs on the answer before the commit. */
export function enqueueJobs(
  tx: Transaction,
  jobs: readonly NewStandaloneJob[],
  marks: Watermarks,
  onRow: (row: EnqueueRow) => void,
): void {
  if (areAlike(jobs))
    tx.write<AlikeRow>(sql.enqueueAlike, alikeValues(jobs, marks), ([row]) => onRow(alikeAnswer(jobs, row as AlikeRow)))
  else tx.write<EnqueueRow>(sql.enqueueJobs, enqueueValues(jobs, marks), ([row]) => onRow(row as EnqueueRow))
}

export async function enqueueJobsNow(
  tx: Transaction,
  jobs: readonly NewStandaloneJob[],
  marks: Watermarks,
): Promise<EnqueueRow> {
  if (areAlike(jobs)) {
    const [row] = await tx.read<AlikeRow>(sql.enqueueAlike, alikeValues(jobs, marks))
    return alikeAnswer(jobs, row as AlikeRow)
  }
  const [row] = await tx.read<EnqueueRow>(sql.enqueueJobs, enqueueValues(jobs, marks))
  return row as EnqueueRow
}
