// Writes a schedule, new or changed. The next time is the database clock's, and is written with the schedule.
import type { Transaction } from "../../db/transaction.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../../model/jobs/routing-name.ts"
import { type Reach, reachedBySchedule } from "../../model/people/reach.ts"
import type { CatchUp, Overlap } from "../../model/schedules/schedule-ticks.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import {
  insertScheduleChange,
  type PutScheduleRow,
  putSchedule as putRow,
  type ScheduleRow,
  skipWaiting,
} from "../../store/schedules/schedules.ts"
import { badRequest } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { isWorkflow, notAJobOfASchedule } from "../definitions/workflow-names.ts"
import { checkSize } from "../kernel/check-size.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { isScheduleId } from "./read-schedules.ts"
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

export interface Author {
  readonly actor: string
  /** Has to go as far as what the schedule starts. */
  readonly reach: Reach
  readonly requestKey?: RequestKey | undefined
}

interface Writing {
  readonly spec: ScheduleSpec
  /** Under lock. */
  readonly existing: ScheduleRow | undefined
  readonly actor: string
}

export async function writeSchedule(
  kernel: Kernel,
  tx: Transaction,
  { spec, existing, actor }: Writing,
): Promise<PutScheduleRow> {
  const stored = await putRow(tx, { ...rowOf(kernel, spec, existing), changedBy: actor })
  const { id, cron, timezone, enabled, next_at } = stored
  if (!enabled) skipWaiting(tx, id, "the schedule was disabled")
  insertScheduleChange(tx, { actor, kind: "schedule", id, detail: { cron, timezone, enabled } })
  tx.afterCommit(() => kernel.nudge("schedules", Math.max(0, (next_at ?? Infinity) - kernel.clock.nowMs())))
  return stored
}

/** What it starts from now on, and what it has started: the next run may cancel the last one. */
export function mustWrite(reach: Reach, spec: ScheduleSpec, existing: ScheduleRow | undefined): void {
  reach.must("write", reachedBySchedule(spec))
  if (existing) reach.must("write", reachedBySchedule(targetOf(existing)))
}

export const targetOf = ({ definition_id, job_type }: ScheduleRow) => ({
  definitionId: definition_id ?? undefined,
  jobType: job_type ?? undefined,
})

export function checkTarget({ id, definitionId, jobType }: ScheduleSpec): void {
  const wrong = (path: string, message: string, hint: string) =>
    badRequest(`${path} ${message}`, [{ path, message, hint }])
  if (!isScheduleId(id))
    throw wrong("$.id", "must be 1 to 128 letters, digits and . _ : -", "choose a name, such as nightly-report")
  if ((definitionId === undefined) === (jobType === undefined))
    throw wrong("$", "must name one thing to start", "send either definitionId or jobType")
  if (jobType !== undefined && !isRoutingName(jobType))
    throw wrong("$.jobType", "cannot name a type of jobs", ROUTING_NAME_HINT)
}

/** Each tick would enqueue a job that its workers cannot work on. */
export async function refuseWorkflow(kernel: Kernel, { jobType }: Pick<ScheduleSpec, "jobType">): Promise<void> {
  if (jobType !== undefined && (await isWorkflow(kernel, jobType))) throw notAJobOfASchedule(jobType)
}

function rowOf(kernel: Kernel, spec: ScheduleSpec, existing: ScheduleRow | undefined) {
  const { id, cron, timezone = "UTC", definitionId, jobType, input = {}, priority, enabled = true } = spec
  const { overlap = "skip", catchUp = "last" } = spec
  const inputText = JSON.stringify(input)
  checkSize(kernel.settings, inputText, "the input")
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
    input: inputText,
    priority: priority ?? null,
    overlap,
    catchUp,
    enabled,
    nextAt: enabled ? nextAt : null,
  }
}
