// Makes, replaces and removes schedules. The next time is the database clock's, and is written with the schedule.
import type { Transaction } from "../../db/transaction.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../../model/jobs/routing-name.ts"
import type { CatchUp, Overlap } from "../../model/schedules/schedule-ticks.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import {
  deleteSchedule as deleteRow,
  insertScheduleChange,
  lockSchedule,
  putSchedule as putRow,
  type ScheduleRow,
  skipWaiting,
} from "../../store/schedules/schedules.ts"
import { badRequest, conflict } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { isScheduleId, noSchedule, type ScheduleView, viewOfSchedule } from "./read-schedules.ts"
import { checkTimes } from "./schedule-times.ts"

export interface ScheduleSpec {
  readonly id: string
  readonly cron: string
  readonly timezone?: string | undefined
  /** Either a definition, whose instances begin with the input as their variables, or a job type, whose payload it is. */
  readonly definitionId?: string | undefined
  readonly jobType?: string | undefined
  readonly input?: JsonObject | undefined
  readonly priority?: Priority | undefined
  readonly overlap?: Overlap | undefined
  readonly catchUp?: CatchUp | undefined
  readonly enabled?: boolean | undefined
}

interface By {
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

export interface PutSchedule {
  readonly schedule: ScheduleView
  readonly isNew: boolean
}

/** Refuses an id that is taken. */
export const createSchedule = (kernel: Kernel, spec: ScheduleSpec, by: By): Promise<Done<PutSchedule>> =>
  put(kernel, spec, by, (isNew) => {
    if (!isNew) throw conflict(`there is a schedule ${spec.id} already; PUT replaces it`)
  })

/** New, or in place of the one that has the id. What it has queued and started stays. */
export const putSchedule = (kernel: Kernel, spec: ScheduleSpec, by: By): Promise<Done<PutSchedule>> =>
  put(kernel, spec, by, () => {})

async function put(
  kernel: Kernel,
  spec: ScheduleSpec,
  { actor, requestKey }: By,
  judge: (isNew: boolean) => void,
): Promise<Done<PutSchedule>> {
  checkTarget(spec)
  const work = async (tx: Transaction): Promise<PutSchedule> => {
    await setLockTimeout(tx)
    const existing = await lockSchedule(tx, spec.id)
    const stored = await putRow(tx, { ...rowOf(kernel, spec, existing), changedBy: actor })
    judge(stored.is_new)
    if (!stored.enabled) skipWaiting(tx, spec.id, "the schedule was disabled")
    const schedule = viewOfSchedule(stored)
    const { cron, timezone, enabled } = schedule
    insertScheduleChange(tx, { actor, kind: "schedule", id: spec.id, detail: { cron, timezone, enabled } })
    tx.afterCommit(() => kernel.nudge("schedules", Math.max(0, (stored.next_at ?? Infinity) - kernel.clock.nowMs())))
    return { schedule, isNew: stored.is_new }
  }
  return kernel.db.transaction((tx) =>
    once(tx, requestKey, {
      work: () => work(tx),
      readOld: ({ body, isCreated }) => ({ schedule: body as ScheduleView, isNew: isCreated }),
    }),
  )
}

function checkTarget({ id, definitionId, jobType }: ScheduleSpec): void {
  const wrong = (path: string, message: string, hint: string) =>
    badRequest(`${path} ${message}`, [{ path, message, hint }])
  if (!isScheduleId(id))
    throw wrong("$.id", "must be 1 to 128 letters, digits and . _ : -", "choose a name, such as nightly-report")
  if ((definitionId === undefined) === (jobType === undefined))
    throw wrong("$", "must name one thing to start", "send either definitionId or jobType")
  if (jobType !== undefined && !isRoutingName(jobType))
    throw wrong("$.jobType", "cannot name a type of jobs", ROUTING_NAME_HINT)
}

function rowOf(kernel: Kernel, spec: ScheduleSpec, existing: ScheduleRow | undefined) {
  const { id, cron, timezone = "UTC", definitionId, jobType, input = {}, priority, enabled = true } = spec
  const { overlap = "skip", catchUp = "last" } = spec
  const now = kernel.clock.nowMs()
  const times = checkTimes(cron, timezone, now)
  // The same times go on where they were: a deploy that repeats the schedule does not lose a tick that is due at this moment.
  const goesOn = existing?.enabled && existing.cron === cron && existing.timezone === timezone
  const nextAt = goesOn ? existing.next_at : (times.next(now) ?? null)
  return {
    id,
    cron,
    timezone,
    definitionId: definitionId ?? null,
    jobType: jobType ?? null,
    input: JSON.stringify(input),
    priority: priority ?? null,
    overlap,
    catchUp,
    enabled,
    nextAt: enabled ? nextAt : null,
  }
}

/** What it has started goes on; what waits for that does not begin. Its history goes by its age. */
export async function deleteSchedule(kernel: Kernel, id: string, { actor, requestKey }: By): Promise<Done<void>> {
  const work = async (tx: Transaction) => {
    await setLockTimeout(tx)
    if (!(await deleteRow(tx, id))) throw noSchedule(id)
    skipWaiting(tx, id, "the schedule was deleted")
    insertScheduleChange(tx, { actor, kind: "schedule", id, detail: null })
  }
  return kernel.db.transaction((tx) => once(tx, requestKey, () => work(tx)))
}
