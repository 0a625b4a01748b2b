// The inbox of user tasks: list, read, take.

import type { Reader } from "../../db/transaction.ts"
import type { VariableSchema } from "../../model/definitions/definition.ts"
import type { Reach } from "../../model/people/reach.ts"
import {
  findUserTask,
  listUserTasks as listRows,
  type UserTaskRow,
  type UserTaskStatus,
} from "../../store/people/user-tasks.ts"
import { notFound } from "../../support/errors.ts"
import { executionId, parseExecutionId } from "../../support/ids.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { type InstanceKeys, withoutInstanceKeys } from "../instances/instance-keys.ts"
import { cutPage, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface UserTaskView extends InstanceKeys {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly definitionId: string
  readonly name: string
  readonly status: UserTaskStatus
  readonly variables: JsonObject
  readonly createdAt: string
  readonly assignee?: string
  readonly assigneeGroup?: string
  readonly dueAt?: string
  readonly form?: VariableSchema
  /** What it must be completed with. */
  readonly outputSchema?: VariableSchema
  readonly completedAt?: string
  readonly completedBy?: string
}

/** Empties the variables and the keys, which belong to the instance: the wire requires these fields. */
export function userTaskWithin(reach: Reach, task: UserTaskView): UserTaskView {
  if (reach.may("read", "task")) return task
  const { form: _form, outputSchema: _schema, ...rest } = withoutInstanceKeys(task)
  return { ...rest, variables: {} }
}

export interface UserTaskQuery {
  readonly status: UserTaskStatus
  readonly assignee?: string | undefined
  readonly group?: string | undefined
  readonly cursor?: string | undefined
  readonly pageSize: number
}

/** Oldest first: the one that has waited longest is at the top. */
export async function listUserTasks(kernel: Kernel, query: UserTaskQuery) {
  const after =
    query.cursor === undefined ? { instanceId: "", execution: 0 } : readCursor(query.cursor, parseExecutionId)
  const rows = await listRows(kernel.db, {
    status: query.status,
    assignee: query.assignee ?? null,
    group: query.group ?? null,
    after,
    limit: query.pageSize + 1,
  })
  const { shown, next } = cutPage(rows, query.pageSize, (row) => executionId(row.instance_id, row.execution))
  return { items: await Promise.all(shown.map((row) => viewOf(kernel, row))), ...next }
}

export const getUserTask = async (kernel: Kernel, id: string): Promise<UserTaskView> =>
  viewOf(kernel, await getRow(kernel.db, id))

export async function getRow(reader: Reader, id: string): Promise<UserTaskRow> {
  const key = parseExecutionId(id)
  const row = key && (await findUserTask(reader, key))
  if (!row) throw notFound(`there is no user task ${id.slice(0, 64)}`)
  return row
}

export async function viewOf(kernel: Kernel, row: UserTaskRow): Promise<UserTaskView> {
  const definition = await definitionsOf(kernel).version(row.definition_id, row.definition_version)
  const step = definition?.step(row.step_id)
  const { form, outputSchema } = step?.type === "USER_TASK" ? step : {}
  return {
    id: executionId(row.instance_id, row.execution),
    instanceId: row.instance_id,
    stepId: row.step_id,
    definitionId: row.definition_id,
    name: row.name,
    status: row.status,
    variables: row.variables === null ? {} : (JSON.parse(row.variables) as JsonObject),
    createdAt: isoTime(row.created_at),
    ...(row.business_key === null ? {} : { businessKey: row.business_key }),
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.linking_id === null ? {} : { linkingId: row.linking_id }),
    ...(row.assignee === null ? {} : { assignee: row.assignee }),
    ...(row.assignee_group === null ? {} : { assigneeGroup: row.assignee_group }),
    ...(row.due_at === null ? {} : { dueAt: isoTime(row.due_at) }),
    ...(form === undefined ? {} : { form }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(row.completed_at === null ? {} : { completedAt: isoTime(row.completed_at) }),
    ...(row.completed_by === null ? {} : { completedBy: row.completed_by }),
  }
}
