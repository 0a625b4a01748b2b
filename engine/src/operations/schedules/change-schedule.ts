// Changes some of a schedule: what is left out stays as it is.
import type { Transaction } from "../../db/transaction.ts"
import { reachedBySchedule } from "../../model/people/reach.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { lockSchedule, type ScheduleRow } from "../../store/schedules/schedules.ts"
import type { JsonObject } from "../../support/json.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { noSchedule, type ScheduleView, viewOfSchedule } from "./read-schedules.ts"
import {
  type Author,
  checkTarget,
  mustWrite,
  refuseWorkflow,
  type ScheduleSpec,
  targetOf,
  writeSchedule,
} from "./write-schedule.ts"

export interface ScheduleChange extends Omit<ScheduleSpec, "cron"> {
  readonly cron?: string | undefined
}

/** It is read under the lock of its row: of two changes at once both are made. */
export async function changeSchedule(
  kernel: Kernel,
  change: ScheduleChange,
  { actor, requestKey, reach }: Author,
): Promise<Done<ScheduleView>> {
  await refuseWorkflow(kernel, change)
  const work = async (tx: Transaction) => {
    await setLockTimeout(tx)
    const existing = await lockSchedule(tx, change.id)
    if (!existing) throw noSchedule(change.id)
    const spec = changed(existing, change)
    checkTarget(spec)
    if (!isOnlyDisabled(change)) mustWrite(reach, spec, existing)
    if (handsInputOn(existing, spec, change)) reach.must("read", reachedBySchedule(targetOf(existing)))
    return viewOfSchedule(await writeSchedule(kernel, tx, { spec, existing, actor }))
  }
  return kernel.db.transaction((tx) => once(tx, requestKey, () => work(tx)))
}

/** It starts nothing then, whatever it names. */
const isOnlyDisabled = ({ id: _, enabled, ...rest }: ScheduleChange): boolean =>
  enabled === false && Object.values(rest).every((value) => value === undefined)

/** What one target was to start with, another would. A PUT never does this: it names the input, or there is none. */
function handsInputOn(existing: ScheduleRow, spec: ScheduleSpec, { input }: ScheduleChange): boolean {
  const { definitionId, jobType } = targetOf(existing)
  return input === undefined && (spec.definitionId !== definitionId || spec.jobType !== jobType)
}

function changed(row: ScheduleRow, change: ScheduleChange): ScheduleSpec {
  const { id, cron, timezone, overlap, enabled } = row
  const before = { id, cron, timezone, overlap, enabled, catchUp: row.catch_up, priority: row.priority ?? undefined }
  const isRetargeted = change.definitionId !== undefined || change.jobType !== undefined
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return { ...before, input: JSON.parse(row.input) as JsonObject, ...(isRetargeted ? {} : targetOf(row)), ...given }
}
