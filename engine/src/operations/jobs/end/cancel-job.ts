// Cancels a standalone job. A holder learns of it from its next heartbeat, and its report no longer counts.

import type { Transaction } from "../../../db/transaction.ts"
import { endJobs, lockStandalone } from "../../../store/jobs/standalone-jobs.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { conflict, notFound } from "../../../support/errors.ts"
import { isUlid } from "../../../support/ids.ts"
import { dispatchOf } from "../../flow/dispatch.ts"
import { refillLimits } from "../../flow/fill-limits.ts"
import { once, type Replay, type RequestKey } from "../../kernel/idempotency.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { METER_MS } from "../../kernel/loops.ts"
import { findJob } from "../read-jobs.ts"

export interface CancelJobRequest {
  readonly id: string
  readonly reason?: string | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

/** Within the given transaction, or in one of its own. */
export async function cancelJob(
  kernel: Kernel,
  request: CancelJobRequest,
  tx?: Transaction,
): Promise<Replay | undefined> {
  if (!isUlid(request.id)) throw notFound(`there is no job ${request.id.slice(0, 64)}`)
  const work = (own: Transaction) =>
    once(
      own,
      request.requestKey,
      () => cancelWithin(kernel, own, request),
      () => ({ status: 204, body: null }),
    )
  const done = tx ? await work(tx) : await kernel.db.transaction(work)
  return "replay" in done ? done.replay : undefined
}

async function cancelWithin(kernel: Kernel, tx: Transaction, { id, reason, actor }: CancelJobRequest): Promise<void> {
  await setLockTimeout(tx)
  const [row] = await lockStandalone(tx, [id])
  if (!row) return refuseEnded(tx, id)
  const error = `cancelled by ${actor}${reason ? `: ${reason}` : ""}`
  endJobs(tx, [{ id, status: "CANCELLED", error, verb: null, endedAt: kernel.clock.nowMs() }], () => {})
  tx.afterCommit(() => {
    kernel.metrics.jobsProcessed.inc({ status: "cancelled" })
    if (row.downstream !== null) dispatchOf(kernel).freed([row.queue_id])
    refillLimits(kernel, [row.limit_key])
    kernel.nudge("meter", METER_MS)
  })
}

/** Cancelling what is cancelled already changes nothing, and is no error. */
async function refuseEnded(tx: Transaction, id: string): Promise<void> {
  const job = await findJob(tx, id)
  if (!job) throw notFound(`there is no job ${id}`)
  if (job.status !== "CANCELLED")
    throw conflict(`job ${id} is ${job.status}: only one that has not ended can be cancelled`)
}
