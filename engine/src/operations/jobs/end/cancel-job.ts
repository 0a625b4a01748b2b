// Cancels a standalone job. A holder learns of it from its next heartbeat, and its report no longer counts.

import type { Transaction } from "../../../db/transaction.ts"
import type { LockedJobRow } from "../../../store/jobs/jobs.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { conflict, notFound } from "../../../support/errors.ts"
import { isUlid } from "../../../support/ids.ts"
import { type Done, once, type RequestKey } from "../../kernel/idempotency.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { findJob, type JobView } from "../read-jobs.ts"
import { lockStandalone } from "../unpack-jobs.ts"
import { announceEnds } from "./announce-ends.ts"
import { writeEnds } from "./write-ends.ts"

export interface CancelJobRequest {
  readonly id: string
  readonly reason?: string | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

/** The job as it is then. Within the given transaction, or in one of its own. */
export async function cancelJob(kernel: Kernel, request: CancelJobRequest, tx?: Transaction): Promise<Done<JobView>> {
  const { id, requestKey } = request
  if (!isUlid(id)) throw noJob(id)
  const work = (own: Transaction) =>
    once(own, requestKey, { work: () => cancelWithin(kernel, own, request), readOld: () => seeJob(own, id) })
  return tx ? work(tx) : kernel.db.transaction(work)
}

const noJob = (id: string) => notFound(`there is no job ${id.slice(0, 64)}`)

async function seeJob(tx: Transaction, id: string): Promise<JobView> {
  const job = await findJob(tx, id)
  if (!job) throw noJob(id)
  return job
}

async function cancelWithin(kernel: Kernel, tx: Transaction, request: CancelJobRequest): Promise<JobView> {
  const { id, reason, actor } = request
  await setLockTimeout(tx)
  const [row] = await lockStandalone(kernel, tx, [id])
  const job = await seeJob(tx, id)
  if (!row) return cancelledBefore(job)
  const error = `cancelled by ${actor}${reason ? `: ${reason}` : ""}`
  const endedAt = kernel.clock.nowMs()
  writeEnds(kernel, tx, { standalone: [{ id, status: "CANCELLED", error, verb: null, endedAt }] })
  tx.afterCommit(() => announceEnds(kernel, [row], { jobs: [row], status: "cancelled", idOf: () => id }))
  // Its lease is kept on record with it; what it waited for is not.
  return { ...job, status: "CANCELLED", error, updatedAt: endedAt, visibleAt: undefined, ...workerOf(row) }
}

const workerOf = ({ worker_id }: LockedJobRow) => ({ workerId: worker_id ?? undefined })

/** Cancelling what is cancelled already changes nothing, and is no error. */
function cancelledBefore(job: JobView): JobView {
  if (job.status === "CANCELLED") return job
  throw conflict(`job ${job.id} is ${job.status}: only one that has not ended can be cancelled`)
}
