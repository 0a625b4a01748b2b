// Fires due timers: each under its instance's lock, in the transaction that also makes what follows.

import type { Outcome } from "../../db/batcher.ts"
import { planTimer } from "../../model/instances/plan-after-timer.ts"
import { deleteOrphanTimers, listDueTimers, type TimerKey } from "../../store/instances/timers.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { Guard } from "../kernel/loops.ts"
import { type AdvanceItem, advanceEach, NOT_LIVE } from "./advance.ts"

const BATCH = 500

/** Returns how many are through. One that could not fire stays due and is not counted: it comes again with the next pulse. */
export async function fireTimers(kernel: Kernel, guard: Guard): Promise<number> {
  const due = await listDueTimers(kernel.db, BATCH)
  if (due.length === 0) return 0
  const outcomes = await advanceEach(kernel, due.map(toItem), guard)
  const failed = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []))
  for (const err of failed) kernel.log.error({ err }, "a timer could not fire")
  await consumeOrphans(
    kernel,
    guard,
    due.filter((_, index) => isOrphan(outcomes[index])),
  )
  return due.length - failed.length
}

const isOrphan = (outcome: Outcome<unknown> | undefined): boolean =>
  outcome !== undefined && "value" in outcome && outcome.value === NOT_LIVE

/** Timers of instances that have ended mean nothing any more. */
async function consumeOrphans(kernel: Kernel, guard: Guard, timers: readonly TimerKey[]): Promise<void> {
  if (timers.length === 0) return
  await kernel.db.transaction(async (tx) => {
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
