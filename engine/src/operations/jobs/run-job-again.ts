// Runs a standalone job again that has ended: a new job with its payload, which says whose place it takes.
import type { Transaction } from "../../db/transaction.ts"
import { seeDeadLetter } from "../../store/dead-letters/dead-letters.ts"
import { findEndedJob } from "../../store/jobs/standalone-jobs.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { conflict, notFound } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { enqueueJob } from "./enqueue/enqueue-job.ts"
import type { JobView } from "./job-view.ts"
import { findJob } from "./read-jobs.ts"

export interface RunAgainRequest {
  readonly id: string
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

export async function runJobAgain(kernel: Kernel, request: RunAgainRequest): Promise<Done<JobView>> {
  if (!isUlid(request.id)) throw noSuchJob(request.id)
  return kernel.db.transaction((tx) => once(tx, request.requestKey, () => runWithin(kernel, tx, request)))
}

async function runWithin(kernel: Kernel, tx: Transaction, { id, actor }: RunAgainRequest): Promise<JobView> {
  const ended = await findEndedJob(tx, id)
  if (!ended) {
    if (await findJob(tx, id)) throw conflict("the job has not ended yet: wait for it, or cancel it first")
    throw noSuchJob(id)
  }
  // A replay spends the letter; a second copy beside it would leave it to be replayed once more.
  if (await seeDeadLetter(tx, id))
    throw conflict(`the job is a dead letter: replay that instead (millrace dead-letters replay ${id})`)
  const { job } = await enqueueJob(
    kernel,
    {
      jobType: ended.job_type,
      payload: ended.payload,
      priority: ended.priority,
      ...(ended.downstream === "" ? {} : { downstream: ended.downstream }),
      replayOf: id,
      whenFull: "refuse",
      actor,
    },
    tx,
  )
  return job
}

const noSuchJob = (id: string) => notFound(`there is no job ${id.slice(0, 64)}`)
