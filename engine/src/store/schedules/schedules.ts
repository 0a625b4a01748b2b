// Typed access to schedules and their runs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { CatchUp, Overlap, PlannedTick } from "../../model/schedules/schedule-ticks.ts"

const sql = statements(import.meta.url, "schedules", [
  "putSchedule",
  "deleteSchedule",
  "insertScheduleChange",
  "findSchedule",
  "listSchedules",
  "lockSchedule",
  "findLine",
  "listDueSchedules",
  "listReadyLines",
  "moveSchedule",
  "postponeSchedule",
  "noteStart",
  "insertRuns",
  "settleRun",
  "findFirstWaiting",
  "skipWaiting",
  "listRuns",
  "pruneRuns",
])

export interface NewScheduleRow {
  readonly id: string
  readonly cron: string
  readonly timezone: string
  /** A schedule has a definition or a job type, never both. */
  readonly definitionId: string | null
  readonly jobType: string | null
  /** JSON. */
  readonly input: string
  readonly priority: Priority | null
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly enabled: boolean
  readonly nextAt: number | null
  readonly changedBy: string
}

export interface ScheduleRow extends Record<string, unknown> {
  readonly id: string
  readonly cron: string
  readonly timezone: string
  readonly definition_id: string | null
  readonly job_type: string | null
  readonly input: string
  readonly priority: Priority | null
  readonly overlap: Overlap
  readonly catch_up: CatchUp
  readonly enabled: boolean
  readonly next_at: number | null
  readonly last_fired_at: number | null
  readonly last_work_id: string | null
  readonly changed_at: number
  readonly changed_by: string
  /** How often its tick could not be fired, since it could the last time. */
  readonly failures: number
  readonly last_error: string | null
  readonly retry_at: number | null
}

/** With what became of its last run; null before the first. */
export interface SeenScheduleRow extends ScheduleRow {
  readonly last_outcome: RunOutcome | null
  readonly last_detail: string | null
}

export interface PutScheduleRow extends ScheduleRow {
  readonly is_new: boolean
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at))

/** New, or in place of the one that has the id. */
export async function putSchedule(tx: Transaction, row: NewScheduleRow): Promise<PutScheduleRow> {
  const [stored] = await tx.read<PutScheduleRow>(sql.putSchedule, {
    id: row.id,
    cron: row.cron,
    timezone: row.timezone,
    definitionId: row.definitionId,
    jobType: row.jobType,
    input: row.input,
    priority: row.priority,
    overlap: row.overlap,
    catchUp: row.catchUp,
    enabled: row.enabled,
    nextAt: timeOrNull(row.nextAt),
    changedBy: row.changedBy,
  })
  return stored as PutScheduleRow
}

export const deleteSchedule = async (tx: Transaction, id: string): Promise<boolean> =>
  (await tx.read(sql.deleteSchedule, { id })).length > 0

export interface ScheduleChange {
  readonly actor: string
  readonly kind: string
  readonly id: string
  readonly detail: unknown
}

export const insertScheduleChange = (tx: Transaction, { actor, kind, id, detail }: ScheduleChange): void =>
  tx.write(sql.insertScheduleChange, { actor, kind, id, detail: JSON.stringify(detail) })

export async function findSchedule(db: Database, id: string): Promise<SeenScheduleRow | undefined> {
  const [row] = await db.query<SeenScheduleRow>(sql.findSchedule, { id })
  return row
}

export const listSchedules = (db: Database, afterId: string, limit: number): Promise<SeenScheduleRow[]> =>
  db.query(sql.listSchedules, { afterId, limit })

/** Locked while it fires or changes. */
export async function lockSchedule(tx: Transaction, id: string): Promise<ScheduleRow | undefined> {
  const [row] = await tx.read<ScheduleRow>(sql.lockSchedule, { id })
  return row
}

export interface LineRow extends Record<string, unknown> {
  readonly now: number
  /** What the last run started, if it has not ended. */
  readonly live_as: "instance" | "job" | null
  readonly waiting: number
}

/** Read only while the schedule is locked: without the lock a start of another process could be missed. */
export async function findLine(tx: Transaction, { id, last_work_id }: ScheduleRow): Promise<LineRow> {
  const [row] = await tx.read<LineRow>(sql.findLine, { id, lastWorkId: last_work_id })
  return row as LineRow
}

const listIds = async (db: Database, statement: (typeof sql)[keyof typeof sql], limit: number): Promise<string[]> =>
  (await db.query<{ id: string }>(statement, { limit })).map(({ id }) => id)

export const listDueSchedules = (db: Database, limit: number): Promise<string[]> =>
  listIds(db, sql.listDueSchedules, limit)

/** Schedules with a queued run whose last run has ended. */
export const listReadyLines = (db: Database, limit: number): Promise<string[]> => listIds(db, sql.listReadyLines, limit)

/** The schedule could not be fired: its tick is tried again later. */
export const postponeSchedule = (tx: Transaction, { id, error }: ScheduleFailure): void =>
  tx.write(sql.postponeSchedule, { id, error })

interface ScheduleFailure {
  readonly id: string
  readonly error: string
}

export const moveSchedule = (tx: Transaction, id: string, nextAt: number | null): void =>
  tx.write(sql.moveSchedule, { id, nextAt: timeOrNull(nextAt) })

export const noteStart = (tx: Transaction, id: string, workId: string): void => tx.write(sql.noteStart, { id, workId })

export type Cause = "cron" | "manual"
export type RunOutcome = PlannedTick["outcome"] | "failed"

/** Returns those that are new: a tick that has a run never gets another one. */
export async function insertRuns(
  tx: Transaction,
  scheduleId: string,
  cause: Cause,
  ticks: readonly PlannedTick[],
): Promise<ReadonlySet<number>> {
  const rows = await tx.read<{ due_at: number }>(sql.insertRuns, {
    scheduleId,
    cause,
    ticks: ticks.map((tick) => ({ due_at: timestamp(tick.dueAt), outcome: tick.outcome, detail: tick.detail })),
  })
  return new Set(rows.map((row) => row.due_at))
}

export interface RunKey {
  readonly scheduleId: string
  readonly dueAt: number
  readonly cause: Cause
}

export interface Settled {
  readonly outcome: RunOutcome
  readonly workId: string | null
  readonly detail: string | null
}

export const settleRun = (tx: Transaction, { scheduleId, dueAt, cause }: RunKey, settled: Settled): void =>
  tx.write(sql.settleRun, {
    scheduleId,
    dueAt: timestamp(dueAt),
    cause,
    outcome: settled.outcome,
    workId: settled.workId,
    detail: settled.detail,
  })

export async function findFirstWaiting(tx: Transaction, scheduleId: string): Promise<RunKey | undefined> {
  const [row] = await tx.read<{ due_at: number; cause: Cause }>(sql.findFirstWaiting, { scheduleId })
  return row && { scheduleId, dueAt: row.due_at, cause: row.cause }
}

export const skipWaiting = (tx: Transaction, scheduleId: string, detail: string): void =>
  tx.write(sql.skipWaiting, { scheduleId, detail })

export interface RunRow extends Record<string, unknown> {
  readonly due_at: number
  readonly fired_at: number
  readonly cause: Cause
  readonly outcome: RunOutcome
  readonly work_id: string | null
  readonly detail: string | null
}

/** Newest first, from the run before the one given. */
export const listRuns = (
  db: Database,
  { scheduleId, dueAt, cause }: Omit<RunKey, "cause"> & { readonly cause: string },
  limit: number,
): Promise<RunRow[]> => db.query(sql.listRuns, { scheduleId, dueAt: timestamp(dueAt), cause, limit })

/** Returns how many were deleted. */
export const pruneRuns = async (db: Database, olderThanMs: number, limit: number): Promise<number> =>
  (await db.query(sql.pruneRuns, { olderThanMs, limit })).length
