// Typed access to live instances.
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import type { Traced } from "../observability/traced.ts"

const sql = statements(import.meta.url, "instances", [
  "insertInstances",
  "lockInstances",
  "lockInstance",
  "readVariables",
  "listLiveIds",
  "updateInstances",
  "finishInstances",
  "setLinkingIds",
  "findInstance",
])

export interface NewInstanceRow extends Traced {
  readonly id: string
  readonly definitionId: string
  readonly definitionVersion: number
  readonly status: InstanceStatus
  readonly priority: Priority
  readonly businessKey: string | null
  readonly linkingId: string | null
  readonly parentId: string | null
  readonly input: string
  readonly variables: string | null
  readonly state: string
  readonly version: number
  readonly readsVariables: boolean
  readonly startedAt: number
}

/** What live and finished instances have alike, as it is written. */
export const instanceColumns = (row: Omit<NewInstanceRow, "state"> & { readonly state: string | null }) => ({
  id: row.id,
  definition_id: row.definitionId,
  definition_version: row.definitionVersion,
  status: row.status,
  priority: row.priority,
  business_key: row.businessKey,
  linking_id: row.linkingId,
  parent_id: row.parentId,
  input: row.input,
  variables: row.variables,
  state: row.state,
  version: row.version,
  reads_variables: row.readsVariables,
  started_at: timestamp(row.startedAt),
  trace_context: row.trace ?? null,
})

export const insertInstances = (tx: Transaction, rows: readonly NewInstanceRow[]): void =>
  tx.write(sql.insertInstances, { instances: rows.map(instanceColumns) })

export interface LockedInstanceRow extends Record<string, unknown> {
  readonly id: string
  readonly definition_id: string
  readonly definition_version: number
  readonly status: InstanceStatus
  readonly priority: Priority
  readonly business_key: string | null
  readonly version: number
  readonly state: string
  /** Null: they were not read. */
  readonly variables: string | null
  /** The variables of those before it fill the batch. */
  readonly is_left_out: boolean
  readonly now: number
}

/** The limit for variables that are read for one batch: twice the default limit of one instance. */
const MAX_BATCH_BYTES = 4_194_304

/** In id order; one that another transaction holds is left out, not waited for. */
export const lockInstances = (tx: Transaction, ids: readonly string[]): Promise<LockedInstanceRow[]> =>
  tx.read(sql.lockInstances, { ids, maxBytes: MAX_BATCH_BYTES })

/** Waits for the lock, as long as lock_timeout allows. */
export const lockInstance = (tx: Transaction, id: string): Promise<LockedInstanceRow[]> =>
  tx.read(sql.lockInstance, { id })

/** Expects an instance that this transaction has locked. */
export async function readVariables(tx: Transaction, id: string): Promise<string> {
  const [row] = await tx.read<{ variables: string }>(sql.readVariables, { id })
  return row?.variables ?? "{}"
}

export async function listLiveIds(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.read<{ id: string }>(sql.listLiveIds, { ids })
  return rows.map((row) => row.id)
}

export interface InstanceUpdate {
  readonly id: string
  readonly status: InstanceStatus
  readonly state: string
  readonly version: number
  readonly delta: string | null
}

export function updateInstances(tx: Transaction, rows: readonly InstanceUpdate[]): void {
  tx.write(sql.updateInstances, {
    instances: rows.map((row) => ({
      id: row.id,
      status: row.status,
      state: row.state,
      version: row.version,
      delta: row.delta,
    })),
  })
}

export interface InstanceFinish extends Omit<InstanceUpdate, "state"> {
  readonly state: string | null
  readonly completedAt: number
  readonly failureReason: string | null
  readonly failure: string | null
  readonly undoneBy: string | null
}

/** Moves the rows from the live table to the finished one. */
export function finishInstances(tx: Transaction, rows: readonly InstanceFinish[]): void {
  tx.write(sql.finishInstances, {
    instances: rows.map((row) => ({
      id: row.id,
      status: row.status,
      state: row.state,
      version: row.version,
      delta: row.delta,
      completed_at: timestamp(row.completedAt),
      failure_reason: row.failureReason,
      failure: row.failure,
      undone_by: row.undoneBy,
    })),
  })
}

export function setLinkingIds(
  tx: Transaction,
  rows: readonly { readonly id: string; readonly linkingId: string }[],
): void {
  tx.write(sql.setLinkingIds, { instances: rows.map((row) => ({ id: row.id, linking_id: row.linkingId })) })
}

export interface InstanceRow extends Record<string, unknown> {
  readonly id: string
  readonly definition_id: string
  readonly definition_version: number
  readonly status: InstanceStatus
  readonly business_key: string | null
  /** The key that its run was started with; absent where the row was read to be changed. */
  readonly key?: string | null
  readonly linking_id: string | null
  readonly parent_id: string | null
  readonly priority: Priority
  readonly state: string | null
  readonly variables: string
  readonly started_at: number
  readonly undone_by: string | null
  readonly completed_at: number | null
  readonly failure_reason: string | null
  readonly version: number
}

export interface OneInstanceRow extends InstanceRow {
  /** Null where the variables are still what it was started with. */
  readonly input: string | null
  /** By a restart: the instance whose place it has taken, and the last that has taken its place. */
  readonly restart_of: string | null
  readonly restarted_as: string | null
}

/** Live or finished. */
export async function findInstance(reader: Reader, id: string): Promise<OneInstanceRow | undefined> {
  const [row] = await reader.read<OneInstanceRow>(sql.findInstance, { id })
  return row
}
