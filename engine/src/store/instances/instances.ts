// Typed access to live instances.
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import { type Traced, traceColumn } from "../observability/trace-column.ts"

const sql = statements(import.meta.url, "instances", [
  "insertInstances",
  "lockInstances",
  "lockInstance",
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

export function insertInstances(tx: Transaction, rows: readonly NewInstanceRow[]): void {
  tx.write(sql.insertInstances, [
    rows.map((row) => row.id),
    rows.map((row) => row.definitionId),
    rows.map((row) => row.definitionVersion),
    rows.map((row) => row.status),
    rows.map((row) => row.priority),
    rows.map((row) => row.businessKey),
    rows.map((row) => row.linkingId),
    rows.map((row) => row.parentId),
    rows.map((row) => row.input),
    rows.map((row) => row.variables),
    rows.map((row) => row.state),
    rows.map((row) => row.version),
    rows.map((row) => row.readsVariables),
    rows.map((row) => timestamp(row.startedAt)),
    traceColumn(rows),
  ])
}

export interface LockedInstanceRow extends Record<string, unknown> {
  readonly id: string
  readonly definition_id: string
  readonly definition_version: number
  readonly status: InstanceStatus
  readonly priority: Priority
  readonly business_key: string | null
  readonly version: number
  readonly state: string
  readonly variables: string | null
  readonly now: number
}

/** In id order; one that somebody else holds is left out, not waited for. */
export const lockInstances = (tx: Transaction, ids: readonly string[]): Promise<LockedInstanceRow[]> =>
  tx.read(sql.lockInstances, [ids])

/** Waits for the lock, as long as lock_timeout allows. */
export const lockInstance = (tx: Transaction, id: string): Promise<LockedInstanceRow[]> =>
  tx.read(sql.lockInstance, [[id]])

export async function listLiveIds(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.read<{ id: string }>(sql.listLiveIds, [ids])
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
  tx.write(sql.updateInstances, [
    rows.map((row) => row.id),
    rows.map((row) => row.status),
    rows.map((row) => row.state),
    rows.map((row) => row.version),
    rows.map((row) => row.delta),
  ])
}

export interface InstanceFinish extends Omit<InstanceUpdate, "state"> {
  readonly state: string | null
  readonly completedAt: number
  readonly failureReason: string | null
  readonly failure: string | null
}

/** Moves the rows from the live table to the finished one. */
export function finishInstances(tx: Transaction, rows: readonly InstanceFinish[]): void {
  tx.write(sql.finishInstances, [
    rows.map((row) => row.id),
    rows.map((row) => row.status),
    rows.map((row) => row.state),
    rows.map((row) => row.version),
    rows.map((row) => row.delta),
    rows.map((row) => timestamp(row.completedAt)),
    rows.map((row) => row.failureReason),
    rows.map((row) => row.failure),
  ])
}

export function setLinkingIds(
  tx: Transaction,
  rows: readonly { readonly id: string; readonly linkingId: string }[],
): void {
  tx.write(sql.setLinkingIds, [rows.map((row) => row.id), rows.map((row) => row.linkingId)])
}

export interface InstanceRow extends Record<string, unknown> {
  readonly id: string
  readonly definition_id: string
  readonly definition_version: number
  readonly status: InstanceStatus
  readonly business_key: string | null
  readonly linking_id: string | null
  readonly parent_id: string | null
  readonly priority: Priority
  readonly state: string | null
  readonly variables: string
  readonly started_at: number
  readonly completed_at: number | null
  readonly failure_reason: string | null
  readonly version: number
}

export interface OneInstanceRow extends InstanceRow {
  /** Null where the variables are still what it was started with. */
  readonly input: string | null
}

/** Live or finished. */
export async function findInstance(reader: Reader, id: string): Promise<OneInstanceRow | undefined> {
  const [row] = await reader.read<OneInstanceRow>(sql.findInstance, [id])
  return row
}
