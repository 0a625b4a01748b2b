// Fires due timers: each under its instance's lock, in the transaction that also makes what follows.
import { planTimer } from "../model/planner/plan-after-timer.ts"
import { listDueTimers, type TimerKey } from "../store/timers.ts"
import { type AdvanceItem, advanceBatch, type Guard } from "./advance.ts"
import type { Context } from "./context.ts"

const BATCH = 500

/** Returns how many were found due. A timer that could not fire now stays due. */
export async function fireTimers(ctx: Context, guard: Guard): Promise<number> {
  const due = await listDueTimers(ctx.db, BATCH)
  if (due.length === 0) return 0
  const outcomes = await advanceBatch(ctx, due.map(toItem), guard)
  for (const outcome of outcomes)
    if ("error" in outcome) ctx.log.error({ err: outcome.error }, "a timer could not fire")
  return due.length
}

const toItem = ({ instanceId, execution, timer }: TimerKey): AdvanceItem<void> => ({
  instanceId,
  execution,
  timer,
  decide: (draft, { job, timerIsDue }) => {
    if (timerIsDue) planTimer(draft, { execution, timer, claimed: (job?.epoch ?? 0) > 0 })
  },
})
