// Takes back leases that ended: an attempt that ran too long has failed, a worker that went silent is lost.

import type { Draft } from "../model/planner/draft.ts"
import { planJobFailed, planLeaseLost } from "../model/planner/plan-after-job.ts"
import { type ExpiredRow, type LockedJobRow, listExpired } from "../store/jobs.ts"
import { type AdvanceItem, advanceBatch, type Guard } from "./advance.ts"
import type { Context } from "./context.ts"
import { factsOf } from "./report-jobs.ts"

const BATCH = 500

/** Returns how many were found. What changed hands since is left alone. */
export async function sweepLeases(ctx: Context, sweptUntilMs: number, guard: Guard): Promise<number> {
  const expired = await listExpired(ctx.db, sweptUntilMs, BATCH)
  if (expired.length === 0) return 0
  ctx.metrics.jobTimeouts.inc(expired.length)
  const outcomes = await advanceBatch(ctx, expired.map(toItem), guard)
  for (const outcome of outcomes)
    if ("error" in outcome) ctx.log.error({ err: outcome.error }, "a lease could not be swept")
  return expired.length
}

const toItem = ({ instance_id, execution, epoch }: ExpiredRow): AdvanceItem<void> => ({
  instanceId: instance_id,
  execution,
  decide: (draft, { job }) => {
    if (job?.expired && job.epoch === epoch) endAttempt(draft, job)
  },
})

function endAttempt(draft: Draft, job: LockedJobRow): void {
  if (!job.overran) return planLeaseLost(draft, factsOf(job))
  const message = "timeout.run: the attempt ran too long"
  planJobFailed(draft, factsOf(job), { message, retryable: true, outcome: "timed-out" }, "engine")
}
