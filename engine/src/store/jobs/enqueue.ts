// Typed access to the intake of standalone jobs: admission, jobs and depth in one statement.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import { type Traced, traceColumn } from "../observability/trace-column.ts"

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
  traceColumn(jobs),
]

/** Those that are shut by the depth there is now. */
export async function turnGates(db: Database, marks: Watermarks): Promise<string[]> {
  const { highWatermark, lowWatermark, totalHighWatermark, totalLowWatermark } = marks
  const values = [highWatermark, lowWatermark, totalHighWatermark, totalLowWatermark]
  const [row] = await db.query<{ shut: string[] }>(sql.turnGates, values)
  return row?.shut ?? []
}

interface AlikeRow extends Record<string, unknown> {
  readonly made: number
  readonly shut: string[]
}

/** Ready at once, with neither key nor lease, and in everything but the payload like the first. */
function areAlike([first, ...others]: readonly NewStandaloneJob[]): boolean {
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
    job.isGated === first.isGated
  return first !== undefined && isPlain(first) && others.every((job) => isLike(job) && isPlain(job))
}

function alikeValues(jobs: readonly NewStandaloneJob[], marks: Watermarks) {
  const first = jobs[0] as NewStandaloneJob
  return [
    marks.highWatermark,
    marks.lowWatermark,
    marks.totalHighWatermark,
    marks.totalLowWatermark,
    first.queueId,
    first.priority,
    first.jobType,
    first.retries,
    first.retry,
    first.runMs,
    first.downstream,
    first.isGated,
    jobs.map((job) => job.id),
    jobs.map((job) => job.payload),
    jobs.map((job) => timestamp(job.createdAt)),
    traceColumn(jobs),
  ]
}

/** All of them or none: they have one lane. */
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
