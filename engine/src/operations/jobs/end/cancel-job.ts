// Cancels a standalone job. A holder learns of it from its next heartbeat, and its report no longer counts.
import type { Transaction } from "../../../db/transaction.ts"
import { endJobs, lockStandalone } from "../../../store/jobs/standalone-jobs.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { conflict, notFound } from "../../../support/errors.ts"
import { isUlid } from "../../../support/ids.ts"
import { refillLimits } from "../../flow/fill-limits.ts"
import { type Context, METER_MS } from "../../kernel/context.ts"
import { once, type Replay, type RequestKey } from "../../kernel/idempotency.ts"
import { getJob } from "../read-jobs.ts"

export interface CancelJobRequest {
  readonly id: string
  readonly reason?: string | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

/** Within the given transaction, or in one of its own. */
export async function cancelJob(
  ctx: Context,
  request: CancelJobRequest,
  tx?: Transaction,
): Promise<Replay | undefined> {
  if (!isUlid(request.id)) throw notFound(`there is no job ${request.id.slice(0, 64)}`)
  const work = (own: Transaction) =>
    once(
      own,
      request.requestKey,
      () => cancelWithin(ctx, own, request),
      () => ({ status: 204, body: null }),
    )
  const done = tx ? await work(tx) : await ctx.db.transaction(work)
  return "replay" in done ? done.replay : undefined
}

async function cancelWithin(ctx: Context, tx: Transaction, { id, reason, actor }: CancelJobRequest): Promise<void> {
  await setLockTimeout(tx)
  const [row] = await lockStandalone(tx, [id])
  if (!row) return refuseEnded(ctx, id)
  const error = `cancelled by ${actor}${reason ? `: ${reason}` : ""}`
  endJobs(tx, [{ id, status: "CANCELLED", error, verb: null, endedAt: ctx.clock.nowMs() }], () => {})
  tx.afterCommit(() => {
    ctx.metrics.jobsProcessed.inc({ status: "cancelled" })
    if (row.downstream !== null) ctx.dispatch.freed([row.queue_id])
    refillLimits(ctx, [row.limit_key])
    ctx.nudge("meter", METER_MS)
  })
}

/** Cancelling what is cancelled already changes nothing, and is no error. */
async function refuseEnded(ctx: Context, id: string): Promise<void> {
  const { status } = await getJob({ ...ctx, db: ctx.db.aside }, id)
  if (status !== "CANCELLED") throw conflict(`job ${id} is ${status}: only one that has not ended can be cancelled`)
}
