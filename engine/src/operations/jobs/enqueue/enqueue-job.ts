// Takes in standalone jobs: no instance, no audit, one row each. Admission, depth and jobs are one statement of one batch.

import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { LEASE_MS } from "../../../model/jobs/standalone-job.ts"
import type { LeasedRow } from "../../../store/jobs/claims.ts"
import { type EnqueueRow, type NewStandaloneJob, enqueueJobs as writeJobs } from "../../../store/jobs/enqueue.ts"
import { isTracing } from "../../../support/spans.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { producing } from "../../observability/producer-span.ts"
import { Hands } from "../claim/hand-over.ts"
import { announceReady, hearGates } from "./announce-jobs.ts"
import { accepted, type Enqueued, type EnqueueItem, type EnqueueRequest, isFull, prepareJob } from "./enqueue-item.ts"
import { enqueueKeyed } from "./enqueue-keyed.ts"
import { enqueueLate, enqueueOneByOne } from "./enqueue-keys.ts"

export type { Enqueued, EnqueueItem, EnqueueRequest } from "./enqueue-item.ts"

/** In a batch with others, or within the given transaction. */
export function enqueueJob(kernel: Kernel, request: EnqueueRequest, tx?: Transaction): Promise<Enqueued> {
  if (!isTracing()) return enqueueUntraced(kernel, request, tx)
  const { jobType } = request
  return producing(request, {
    name: "enqueue-job",
    attributes: { "messaging.destination.name": jobType, "millrace.job.type": jobType },
    work: (traced) => enqueueUntraced(kernel, traced, tx),
    made: ({ job: { id, priority } }) => ({
      "messaging.message.id": id,
      "millrace.job.id": id,
      "millrace.priority": priority,
    }),
  })
}

/** Without a span of its own: one of many. */
export async function enqueueUntraced(kernel: Kernel, request: EnqueueRequest, tx?: Transaction): Promise<Enqueued> {
  const item = await prepareJob(kernel, request)
  if (tx) return enqueueOneByOne(kernel, tx, item)
  if (request.unique) return lateEnqueues(kernel).submit(item)
  const isSimple = request.key === undefined && !request.requestKey && !request.limit
  return isSimple ? enqueues(kernel).submit(item) : keyedEnqueues(kernel).submit(item)
}

async function enqueueBatch(kernel: Kernel, items: readonly EnqueueItem[]): Promise<readonly Outcome<Enqueued>[]> {
  kernel.metrics.batchSize.observe({ operation: "enqueue" }, items.length)
  const written = await kernel.db.transaction(async (tx) => {
    const result: { row?: EnqueueRow } = {}
    writeItems(kernel, tx, items, (row) => (result.row = row))
    return result
  })
  return judgeBatch(kernel, items, written.row as EnqueueRow)
}

/** Jobs that somebody waits for are leased at once. */
function writeItems(
  kernel: Kernel,
  tx: Transaction,
  items: readonly EnqueueItem[],
  onRow: (row: EnqueueRow) => void,
): void {
  const hands = tx.isOurs ? new Hands(kernel, tx) : undefined
  const rows = items.map(({ row }) => (hands ? withLease(hands, row) : row))
  writeJobs(tx, rows, kernel.settings, (answer) => {
    if (hands) giveLeased(hands, rows, answer)
    onRow(answer)
  })
  tx.afterCommit(() => announceReady(kernel, rows))
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
  instance_id: row.id,
  execution: 0,
  queue_id: row.queueId,
  step_id: row.jobType,
  epoch: 1,
  retries_left: row.retries,
  lease_until: leaseUntil,
  run_ms: row.runMs ?? row.typeRunMs,
  definition_id: null,
  business_key: null,
  variables: row.payload,
  trace_context: row.trace ?? null,
})

/** What each of them is told. */
function judgeBatch(kernel: Kernel, items: readonly EnqueueItem[], answer: EnqueueRow): readonly Outcome<Enqueued>[] {
  hearGates(kernel, answer)
  kernel.metrics.jobsEnqueued.inc(answer.ids.length)
  if (answer.ids.length === items.length) return items.map((item) => ({ value: accepted(item) }))
  const made = new Set(answer.ids)
  return items.map((item) =>
    made.has(item.row.id) ? { value: accepted(item) } : { error: isFull(kernel, item.row.priority) },
  )
}

const sizeOf = ({ row }: EnqueueItem): number => row.payload.length

const enqueues = batched<EnqueueItem, Enqueued>({ run: enqueueBatch, flights: 1, sizeOf })
const keyedEnqueues = batched<EnqueueItem, Enqueued>({ run: enqueueKeyed, flights: 2, sizeOf })
const lateEnqueues = batched<EnqueueItem, Enqueued>({ run: enqueueLate, flights: 4, maxItems: 1 })
