// Typed access to user tasks.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { ClosedUserTask, NewUserTask } from "../../model/instances/plan.ts"
import type { JobKey } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "user-tasks", [
  "insertUserTasks",
  "closeUserTasks",
  "claimUserTask",
  "findUserTask",
  "listUserTasks",
])

export type UserTaskStatus = "OPEN" | "COMPLETED" | "CANCELLED"

export interface NewUserTaskRow {
  readonly instanceId: string
  readonly definitionId: string
  readonly definitionVersion: number
  readonly createdAt: number
  readonly task: NewUserTask
}

export function insertUserTasks(tx: Transaction, rows: readonly NewUserTaskRow[]): void {
  tx.write(sql.insertUserTasks, [
    rows.map((r) => r.instanceId),
    rows.map((r) => r.task.execution),
    rows.map((r) => r.definitionId),
    rows.map((r) => r.definitionVersion),
    rows.map((r) => r.task.stepId),
    rows.map((r) => r.task.name),
    rows.map((r) => r.task.assignee ?? null),
    rows.map((r) => r.task.assigneeGroup ?? null),
    rows.map((r) => r.task.dueInMs ?? null),
    rows.map((r) => timestamp(r.createdAt)),
  ])
}

export interface ClosedUserTaskRow {
  readonly instanceId: string
  readonly closedAt: number
  readonly task: ClosedUserTask
}

export function closeUserTasks(tx: Transaction, rows: readonly ClosedUserTaskRow[]): void {
  tx.write(sql.closeUserTasks, [
    rows.map((r) => r.instanceId),
    rows.map((r) => r.task.execution),
    rows.map((r) => r.task.status),
    rows.map((r) => r.task.completedBy ?? null),
    rows.map((r) => timestamp(r.closedAt)),
  ])
}

export async function claimUserTask(tx: Transaction, key: JobKey, assignee: string): Promise<boolean> {
  const rows = await tx.read(sql.claimUserTask, [key.instanceId, key.execution, assignee])
  return rows.length === 1
}

export interface UserTaskRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly definition_id: string
  readonly definition_version: number
  readonly step_id: string
  readonly name: string
  readonly status: UserTaskStatus
  readonly assignee: string | null
  readonly assignee_group: string | null
  readonly due_at: number | null
  readonly created_at: number
  readonly completed_at: number | null
  readonly completed_by: string | null
  readonly variables: string | null
}

export async function findUserTask(db: Database, key: JobKey): Promise<UserTaskRow | undefined> {
  const [row] = await db.query<UserTaskRow>(sql.findUserTask, [key.instanceId, key.execution])
  return row
}

export interface UserTaskFilter {
  readonly status: UserTaskStatus
  readonly assignee: string | null
  readonly group: string | null
  readonly after: JobKey
  readonly limit: number
}

export const listUserTasks = (db: Database, filter: UserTaskFilter): Promise<UserTaskRow[]> =>
  db.query(sql.listUserTasks, [
    filter.status,
    filter.assignee,
    filter.group,
    filter.after.instanceId,
    filter.after.execution,
    filter.limit,
  ])
