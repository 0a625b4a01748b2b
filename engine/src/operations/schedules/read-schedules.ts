// Schedules as the wire shows them, with their next times, and the history of their runs.
import type { Priority } from "../../model/definitions/definition.ts"
import { type Reach, reachedBySchedule } from "../../model/people/reach.ts"
import type { CatchUp, Overlap } from "../../model/schedules/schedule-ticks.ts"
import {
  type Cause,
  findSchedule,
  listSchedules as listRows,
  listRuns,
  type RunOutcome,
  type RunRow,
  type ScheduleRow,
  type SeenScheduleRow,
} from "../../store/schedules/schedules.ts"
import { notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject } from "../../support/json.ts"
import { cutPage, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { timesOf } from "./schedule-times.ts"

export interface ScheduleView {
  readonly id: string
  readonly cron: string
  readonly timezone: string
  readonly definitionId?: string
  readonly jobType?: string
  readonly input: JsonObject
  readonly priority?: Priority
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly enabled: boolean
  readonly lastFiredAt?: string
  /** The instance or the job that it started last. */
  readonly lastWorkId?: string
  /** The outcome of the last run. A run that was skipped or could not start anything counts, too. */
  readonly lastOutcome?: RunOutcome
  /** Why it failed. */
  readonly lastDetail?: string
  readonly nextAt?: string
  /** The three times after the next. */
  readonly upcoming: readonly string[]
  readonly changedAt: string
  readonly changedBy: string
}

export interface ScheduleRunView {
  readonly dueAt: string
  readonly firedAt: string
  readonly cause: Cause
  readonly outcome: RunOutcome
  readonly workId?: string
  readonly detail?: string
}

interface Page {
  readonly cursor?: string | undefined
  readonly pageSize: number
}

/** As a caller may see it: the input is what becomes the variables of an instance, or the payload of a job. */
export function scheduleWithin(
  reach: Reach,
  schedule: ScheduleView,
): Omit<ScheduleView, "input"> & Partial<ScheduleView> {
  if (reach.may("read", reachedBySchedule(schedule))) return schedule
  const { input: _, ...rest } = schedule
  return rest
}

const SHOWN_AHEAD = 3
const ID = /^[A-Za-z0-9_.:-]{1,128}$/

/** Nothing else reaches the database. */
export const isScheduleId = (id: string): boolean => ID.test(id)

export async function getSchedule(kernel: Kernel, id: string): Promise<ScheduleView> {
  return viewOfSeen(await getRow(kernel, id))
}

async function getRow(kernel: Kernel, id: string): Promise<SeenScheduleRow> {
  const row = await findSchedule(kernel.db, id)
  if (!row) throw noSchedule(id)
  return row
}

export const noSchedule = (id: string) => notFound(`there is no schedule ${id.slice(0, 64)}`)

/** By id. */
export async function listSchedules(kernel: Kernel, { cursor, pageSize }: Page) {
  const afterId = cursor === undefined ? "" : readCursor(cursor, (id) => (isScheduleId(id) ? id : undefined))
  const { shown, next } = cutPage(await listRows(kernel.db, afterId, pageSize + 1), pageSize, ({ id }) => id)
  return { items: shown.map(viewOfSeen), ...next }
}

const NEWEST = { dueAt: Date.UTC(9999, 0), cause: "" }
const RUN_PLACE = /^(\d{1,15}) (cron|manual)$/

/** Newest first. */
export async function listScheduleRuns(kernel: Kernel, id: string, { cursor, pageSize }: Page) {
  await getRow(kernel, id)
  const before = cursor === undefined ? NEWEST : readCursor(cursor, parseRunPlace)
  const rows = await listRuns(kernel.db, { scheduleId: id, ...before }, pageSize + 1)
  const { shown, next } = cutPage(rows, pageSize, ({ due_at, cause }) => `${due_at} ${cause}`)
  return { items: shown.map(viewOfRun), ...next }
}

function parseRunPlace(text: string) {
  const [, dueAt, cause] = RUN_PLACE.exec(text) ?? []
  return dueAt === undefined || cause === undefined ? undefined : { dueAt: Number(dueAt), cause }
}

const viewOfSeen = (row: SeenScheduleRow): ScheduleView => ({ ...viewOfSchedule(row), ...lastRunOf(row) })

/** A tick that cannot be fired has no run of its own yet: it is told in place of the last one. */
function lastRunOf({ failures, last_error, retry_at, last_outcome, last_detail }: SeenScheduleRow) {
  if (failures > 0) {
    const again = retry_at === null ? "" : `; tried again at ${isoTime(retry_at)}`
    return { lastOutcome: "failed" as const, lastDetail: `could not be fired (${failures}): ${last_error}${again}` }
  }
  if (last_outcome === null) return {}
  const detail = last_outcome === "failed" && last_detail !== null ? { lastDetail: last_detail } : {}
  return { lastOutcome: last_outcome, ...detail }
}

export function viewOfSchedule(row: ScheduleRow): ScheduleView {
  return {
    id: row.id,
    cron: row.cron,
    timezone: row.timezone,
    ...(row.definition_id === null ? {} : { definitionId: row.definition_id }),
    ...(row.job_type === null ? {} : { jobType: row.job_type }),
    input: JSON.parse(row.input) as JsonObject,
    ...(row.priority === null ? {} : { priority: row.priority }),
    overlap: row.overlap,
    catchUp: row.catch_up,
    enabled: row.enabled,
    ...(row.last_fired_at === null ? {} : { lastFiredAt: isoTime(row.last_fired_at) }),
    ...(row.last_work_id === null ? {} : { lastWorkId: row.last_work_id }),
    ...(row.next_at === null ? {} : { nextAt: isoTime(row.next_at) }),
    upcoming: upcomingOf(row).map(isoTime),
    changedAt: isoTime(row.changed_at),
    changedBy: row.changed_by,
  }
}

function upcomingOf(row: ScheduleRow): readonly number[] {
  const times = timesOf(row)
  const found: number[] = []
  for (let at = row.next_at; at !== null && found.length < SHOWN_AHEAD; ) {
    at = times?.next(at) ?? null
    if (at !== null) found.push(at)
  }
  return found
}

export const viewOfRun = (row: RunRow): ScheduleRunView => ({
  dueAt: isoTime(row.due_at),
  firedAt: isoTime(row.fired_at),
  cause: row.cause,
  outcome: row.outcome,
  ...(row.work_id === null ? {} : { workId: row.work_id }),
  ...(row.detail === null ? {} : { detail: row.detail }),
})
