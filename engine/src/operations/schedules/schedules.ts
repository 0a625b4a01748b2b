// Makes, replaces and removes schedules.
import type { Transaction } from "../../db/transaction.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import {
  deleteSchedule as deleteRow,
  insertScheduleChange,
  lockSchedule,
  skipWaiting,
} from "../../store/schedules/schedules.ts"
import { conflict } from "../../support/errors.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { noSchedule, type ScheduleView, viewOfSchedule } from "./read-schedules.ts"
import {
  type Author,
  checkTarget,
  mustWrite,
  refuseWorkflow,
  type ScheduleSpec,
  writeSchedule,
} from "./write-schedule.ts"

export interface PutSchedule {
  readonly schedule: ScheduleView
  readonly isNew: boolean
}

/** Refuses an id that is taken. */
export const createSchedule = (kernel: Kernel, spec: ScheduleSpec, by: Author): Promise<Done<PutSchedule>> =>
  put(kernel, spec, by, (isNew) => {
    if (!isNew) throw conflict(`there is a schedule ${spec.id} already; PUT replaces it`)
  })

/** New, or in place of the one that has the id. What it has queued and started stays. */
export const putSchedule = (kernel: Kernel, spec: ScheduleSpec, by: Author): Promise<Done<PutSchedule>> =>
  put(kernel, spec, by, () => {})

async function put(
  kernel: Kernel,
  spec: ScheduleSpec,
  { actor, requestKey, reach }: Author,
  judge: (isNew: boolean) => void,
): Promise<Done<PutSchedule>> {
  checkTarget(spec)
  mustWrite(reach, spec, undefined)
  await refuseWorkflow(kernel, spec)
  const work = async (tx: Transaction): Promise<PutSchedule> => {
    await setLockTimeout(tx)
    const existing = await lockSchedule(tx, spec.id)
    mustWrite(reach, spec, existing)
    const stored = await writeSchedule(kernel, tx, { spec, existing, actor })
    judge(stored.is_new)
    return { schedule: viewOfSchedule(stored), isNew: stored.is_new }
  }
  return kernel.db.transaction((tx) =>
    once(tx, requestKey, {
      work: () => work(tx),
      readOld: ({ body, isCreated }) => ({ schedule: body as ScheduleView, isNew: isCreated }),
    }),
  )
}

/** What it has started goes on; what waits for that does not begin. Its history goes by its age. */
export async function deleteSchedule(
  kernel: Kernel,
  id: string,
  { actor, requestKey }: Omit<Author, "reach">,
): Promise<Done<void>> {
  const work = async (tx: Transaction) => {
    await setLockTimeout(tx)
    if (!(await deleteRow(tx, id))) throw noSchedule(id)
    skipWaiting(tx, id, "the schedule was deleted")
    insertScheduleChange(tx, { actor, kind: "schedule", id, detail: null })
  }
  return kernel.db.transaction((tx) => once(tx, requestKey, () => work(tx)))
}
