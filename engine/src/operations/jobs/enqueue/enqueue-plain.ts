// Standalone jobs without a key or a limit: admission, depth and jobs are one statement, which travels with the commit of its batch.
import type { Outcome, Patience } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { LEASE_MS } from "../../../model/jobs/standalone-job.ts"
import type { LeasedRow } from "../../../store/jobs/claims.ts"
import { type EnqueueRow, enqueueJobs, type NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import { toColumns } from "../../../store/jobs/job-columns.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { Hands } from "../claim/hand-over.ts"
import { announceReady, countTakenIn, hearAnswer } from "./announce-jobs.ts"
import { accepted, type Enqueued, type PreparedJob, refuseFull } from "./enqueue-request.ts"

export async function enqueuePlain(
  kernel: Kernel,
  jobs: readonly PreparedJob[],
  patience: Patience,
): Promise<readonly Outcome<Enqueued>[]> {
  kernel.metrics.batchSize.observe({ operation: "enqueue" }, jobs.length)
  const written = await kernel.db.transaction(async (tx) => writeJobs(kernel, tx, jobs), patience)
  return judge(kernel, jobs, written.row as EnqueueRow)
}

/** Jobs for which a claim waits are leased at once. The row is there after the commit. */
function writeJobs(kernel: Kernel, tx: Transaction, jobs: readonly PreparedJob[]): { readonly row?: EnqueueRow } {
  const written: { row?: EnqueueRow } = {}
  const hands = tx.isOurs ? new Hands(kernel, tx) : undefined
  const rows = jobs.map(({ row }) => (hands ? withLease(hands, row) : row))
  enqueueJobs(tx, rows, kernel.settings, (answer) => {
    if (hands) giveLeased(hands, rows, answer)
    written.row = answer
  })
  tx.afterCommit(() => announceReady(kernel, rows))
  return written
}

/** One that must wait is not handed over. */
function withLease(hands: Hands, row: NewStandaloneJob): NewStandaloneJob {
  if (row.delayMs > 0 || row.limitKey !== null) return row
  const slot = hands.slotFor(row.jobType, row.queueId)
  return slot ? { ...row, lease: { ...slot, leaseMs: slot.leaseMs ?? LEASE_MS[row.priority] } } : row
}

function giveLeased(hands: Hands, rows: readonly NewStandaloneJob[], answer: EnqueueRow): void {
  const until = new Map(answer.leased_ids.map((id, at) => [id, answer.leases[at] as number]))
  for (const row of rows) {
    const leaseUntil = until.get(row.id)
    if (row.lease && leaseUntil !== undefined) hands.give(row.lease.nonce, leasedRow(row, leaseUntil))
  }
}

const leasedRow = (row: NewStandaloneJob, leaseUntil: number): LeasedRow => ({
  ...toColumns({ kind: "standalone", id: row.id }),
  queue_id: row.queueId,
  step_id: row.jobType,
  epoch: 1,
  retries_left: row.retries,
  lease_until: leaseUntil,
  run_ms: row.runMs ?? row.typeRunMs,
  definition_id: null,
  business_key: null,
  effect_key: row.effectKey,
  variables: row.payload,
  trace_context: row.trace ?? null,
})

function judge(kernel: Kernel, jobs: readonly PreparedJob[], answer: EnqueueRow): readonly Outcome<Enqueued>[] {
  const made = hearAnswer(kernel, jobs, answer)
  countTakenIn(kernel, made)
  if (made === jobs) return jobs.map(taken)
  const isMade = new Set(made)
  return jobs.map((job) =>
    isMade.has(job) ? taken(job) : { error: refuseFull(kernel, job.row.priority, job.request.door) },
  )
}

const taken = (job: PreparedJob): Outcome<Enqueued> => ({ value: accepted(job) })
