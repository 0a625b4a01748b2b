// Fires due timers: each under its instance's lock, in the transaction that also makes what follows.

import type { Outcome } from "../../db/batcher.ts"
import { planTimer } from "../../model/instances/plan-after-timer.ts"
import { deleteOrphanTimers, listDueTimers, postponeTimers, type TimerKey } from "../../store/instances/timers.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { mayPass } from "../kernel/passing-failures.ts"
import { type AdvanceItem, advanceEach, NOT_LIVE } from "./advance.ts"

const BATCH = 500

/** Returns how many were looked at. One that could not fire is put off, so that the timers behind it do not wait for it. */
export async function fireTimers(kernel: Kernel, proveTerm: ProveTerm): Promise<number> {
  const due = await listDueTimers(kernel.db, BATCH)
  if (due.length === 0) return 0
  const outcomes = await advanceEach(kernel, due.map(toItem), proveTerm)
  const failed = due.flatMap((timer, at) => failureOf(timer, outcomes[at]))
  for (const failure of failed) tell(kernel, failure)
  await putOff(kernel, proveTerm, failed)
  await consumeOrphans(
    kernel,
    proveTerm,
    due.filter((_, index) => isOrphan(outcomes[index])),
  )
  return due.length
}

type Failure = TimerKey & { readonly error: unknown }

const failureOf = (timer: TimerKey, outcome: Outcome<unknown> | undefined): readonly Failure[] =>
  outcome && "error" in outcome ? [{ ...timer, error: outcome.error }] : []

/** One that another transaction keeps from firing is tried again in a second, and is no error. */
function tell({ log }: Kernel, { error: err, ...timer }: Failure): void {
  if (mayPass(err)) log.debug({ err, ...timer }, "a timer waits for another transaction")
  else log.error({ err, ...timer }, "a timer could not fire")
}

async function putOff(kernel: Kernel, proveTerm: ProveTerm, failed: readonly Failure[]): Promise<void> {
  if (failed.length === 0) return
  const told = failed.map((one) => ({ ...one, error: mayPass(one.error) ? null : (one.error as Error).message }))
  await kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
    postponeTimers(tx, told)
  })
}

const isOrphan = (outcome: Outcome<unknown> | undefined): boolean =>
  outcome !== undefined && "value" in outcome && outcome.value === NOT_LIVE

/** Timers of instances that have ended mean nothing any more. */
async function consumeOrphans(kernel: Kernel, proveTerm: ProveTerm, timers: readonly TimerKey[]): Promise<void> {
  if (timers.length === 0) return
  await kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
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
