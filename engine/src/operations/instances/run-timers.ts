// Fires due timers: each under its instance's lock, in the transaction that also makes what follows.
import type { Outcome } from "../../db/batcher.ts"
import { planTimer } from "../../model/instances/plan-after-timer.ts"
import { deleteOrphanTimers, listDueTimers, type TimerKey } from "../../store/instances/timers.ts"
import type { Context } from "../kernel/context.ts"
import { type AdvanceItem, advanceEach, type Guard, NOT_LIVE } from "./advance.ts"

const BATCH = 500

/** Returns how many are through. One that could not fire stays due and is not counted: it comes again with the next pulse. */
export async function fireTimers(ctx: Context, guard: Guard): Promise<number> {
  const due = await listDueTimers(ctx.db, BATCH)
  if (due.length === 0) return 0
  const outcomes = await advanceEach(ctx, due.map(toItem), guard)
  const failed = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []))
  for (const err of failed) ctx.log.error({ err }, "a timer could not fire")
  await consumeOrphans(
    ctx,
    guard,
    due.filter((_, index) => isOrphan(outcomes[index])),
  )
  return due.length - failed.length
}

const isOrphan = (outcome: Outcome<unknown> | undefined): boolean =>
  outcome !== undefined && "value" in outcome && outcome.value === NOT_LIVE

/** Timers of instances that have ended mean nothing any more (C-78). */
async function consumeOrphans(ctx: Context, guard: Guard, timers: readonly TimerKey[]): Promise<void> {
  if (timers.length === 0) return
  await ctx.db.transaction(async (tx) => {
    await guard(tx)
    deleteOrphanTimers(tx, timers)
  })
}

const toItem = ({ instanceId, execution, timer }: TimerKey): AdvanceItem<void> => ({
  instanceId,
  execution,
  timer,
  decide: (draft, { job, timerIsDue }) => {
    if (timerIsDue) planTimer(draft, { execution, timer, claimed: (job?.epoch ?? 0) > 0 })
  },
})
