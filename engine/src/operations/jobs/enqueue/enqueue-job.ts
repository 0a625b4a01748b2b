// Takes in standalone jobs: no instance, no audit, one row each. prepare-job.ts makes the row, a batch writes it together with others.
import type { Transaction } from "../../../db/transaction.ts"
import { assert } from "../../../support/assert.ts"
import { isTracing } from "../../../support/spans.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { producing } from "../../observability/producer-span.ts"
import { enqueueAll, enqueueKeyed } from "./enqueue-keyed.ts"
import { enqueuePlain } from "./enqueue-plain.ts"
import { type Enqueued, type EnqueueRequest, hasKeyOrLimit, type PreparedJob } from "./enqueue-request.ts"
import { prepareJobs } from "./prepare-job.ts"

export type { Enqueued, EnqueueRequest, SaidOfJob } from "./enqueue-request.ts"

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

/** Without a span of its own: one of many. A refusal is thrown, and leaves nothing in a caller's transaction. */
export async function enqueueUntraced(kernel: Kernel, request: EnqueueRequest, tx?: Transaction): Promise<Enqueued> {
  const [job] = await prepareJobs(kernel, [request])
  assert(job, "a request makes a job")
  if (!tx) return (hasKeyOrLimit(request) ? keyedJobs : plainJobs)(kernel).submit(job)
  const [enqueued] = await enqueueWithin(kernel, tx, [job])
  assert(enqueued, "an enqueue has an outcome")
  return enqueued
}

/** All of them by one statement of the given transaction. The first refusal is thrown. */
export async function enqueueWithin(
  kernel: Kernel,
  tx: Transaction,
  jobs: readonly PreparedJob[],
): Promise<readonly Enqueued[]> {
  return (await enqueueAll(kernel, tx, jobs)).map((outcome) => {
    if ("error" in outcome) throw outcome.error
    return outcome.value
  })
}

const sizeOf = ({ row }: PreparedJob): number => row.payload.length

const plainJobs = batched<PreparedJob, Enqueued>({ run: enqueuePlain, flights: 1, sizeOf })

const keyedJobs = batched<PreparedJob, Enqueued>({
  run: enqueueKeyed,
  flights: 2,
  sizeOf,
  // A window takes several statements, and its refusal undoes them all.
  isLoner: ({ request }) => request.unique !== undefined,
  loneFlights: 4,
})
