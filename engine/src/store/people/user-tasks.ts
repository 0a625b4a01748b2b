// Typed access to user tasks.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { ClosedUserTask, NewUserTask } from "../../model/instances/plan.ts"
import type { ExecutionKey } from "../../support/ids.ts"

const sql = statements(import.meta.url, "user-tasks", [
  "insertUserTasks",
  "closeUserTasks",
  "assignUserTask",
  "setUserTaskDue",
  "findUserTask",
  "listUserTasks",
  "listOpenTasks",
])

export type UserTaskStatus = "OPEN" | "COMPLETED" | "CANCELLED"

interface NewUserTaskRow {
  readonly instanceId: string
  readonly definitionId: string
  readonly definitionVersion: number
  readonly createdAt: number
  readonly task: NewUserTask
}

export function insertUserTasks(tx: Transaction, rows: readonly NewUserTaskRow[]): void {
  tx.write(sql.insertUserTasks, {
    rows: rows.map((r) => ({
      instance_id: r.instanceId,
      execution: r.task.execution,
      definition_id: r.definitionId,
      definition_version: r.definitionVersion,
      step_id: r.task.stepId,
      name: r.task.name,
      assignee: r.task.assignee ?? null,
      assignee_group: r.task.assigneeGroup ?? null,
      due_in_ms: r.task.dueInMs ?? null,
      created_at: timestamp(r.createdAt),
    })),
  })
}

interface ClosedUserTaskRow {
  readonly instanceId: string
  readonly closedAt: number
  readonly task: ClosedUserTask
}

export function closeUserTasks(tx: Transaction, rows: readonly ClosedUserTaskRow[]): void {
  tx.write(sql.closeUserTasks, {
    rows: rows.map((r) => ({
      instance_id: r.instanceId,
      execution: r.task.execution,
      status: r.task.status,
      completed_by: r.task.completedBy ?? null,
      closed_at: timestamp(r.closedAt),
    })),
  })
}

export interface Assignment {
  /** Null gives it back to all. */
  readonly to: string | null
  /** Who must have it, if it has an assignee; null where that does not matter. */
  readonly holder: string | null
}

/** False where it is closed, or with another person. */
export async function assignUserTask(tx: Transaction, key: ExecutionKey, { to, holder }: Assignment): Promise<boolean> {
  const { instanceId, execution } = key
  return (await tx.read(sql.assignUserTask, { instanceId, execution, to, holder })).length === 1
}

/** False where it is closed. Null: not due at any time. */
export async function setUserTaskDue(tx: Transaction, key: ExecutionKey, dueAt: number | null): Promise<boolean> {
  const { instanceId, execution } = key
  const values = { instanceId, execution, dueAt: dueAt === null ? null : timestamp(dueAt) }
  return (await tx.read(sql.setUserTaskDue, values)).length === 1
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
  /** The business key of the instance. */
  readonly business_key: string | null
  readonly linking_id: string | null
  /** The key that its run was started with. */
  readonly key: string | null
}

export async function findUserTask(reader: Reader, key: ExecutionKey): Promise<UserTaskRow | undefined> {
  const [row] = await reader.read<UserTaskRow>(sql.findUserTask, {
    instanceId: key.instanceId,
    execution: key.execution,
  })
  return row
}

export interface UserTaskFilter {
  readonly status: UserTaskStatus
  readonly assignee: string | null
  readonly group: string | null
  readonly after: ExecutionKey
  readonly limit: number
}

export const listUserTasks = (db: Database, filter: UserTaskFilter): Promise<UserTaskRow[]> =>
  db.query(sql.listUserTasks, {
    status: filter.status,
    assignee: filter.assignee,
    group: filter.group,
    instanceId: filter.after.instanceId,
    execution: filter.after.execution,
    limit: filter.limit,
  })

export interface OpenTaskRow extends Record<string, unknown> {
  readonly execution: number
  readonly step_id: string
  readonly name: string
  readonly assignee: string | null
  readonly assignee_group: string | null
  readonly due_at: number | null
  readonly created_at: number
}

/** The open user tasks of one instance, oldest first. */
export const listOpenTasks = (reader: Reader, instanceId: string): Promise<OpenTaskRow[]> =>
  reader.read(sql.listOpenTasks, { instanceId })
