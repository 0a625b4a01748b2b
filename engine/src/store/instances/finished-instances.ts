// Typed access to finished instances, and to both kinds where a reader does not care.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import { traceColumn } from "../observability/trace-column.ts"
import type { InstanceRow, LockedInstanceRow, NewInstanceRow } from "./instances.ts"

const sql = statements(import.meta.url, "finished-instances", [
  "insertFinishedInstances",
  "lockFinishedInstance",
  "deleteFinishedInstance",
  "listInstances",
  "countInstances",
  "bumpFinishedVersion",
])

export interface FinishedInstanceRow extends Omit<NewInstanceRow, "state"> {
  readonly state: string | null
  readonly completedAt: number
  readonly failureReason: string | null
  readonly failure: string | null
}

export function insertFinishedInstances(tx: Transaction, rows: readonly FinishedInstanceRow[]): void {
  tx.write(sql.insertFinishedInstances, [
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
    rows.map((row) => timestamp(row.completedAt)),
    rows.map((row) => row.failureReason),
    rows.map((row) => row.failure),
    traceColumn(rows),
  ])
}

export interface LockedFinishedRow extends LockedInstanceRow {
  readonly linking_id: string | null
  readonly parent_id: string | null
  readonly input: string
  readonly reads_variables: boolean
  readonly started_at: number
  readonly trace_context: string | null
}

export async function lockFinishedInstance(tx: Transaction, id: string): Promise<LockedFinishedRow | undefined> {
  const [row] = await tx.read<LockedFinishedRow>(sql.lockFinishedInstance, [id])
  return row
}

export const deleteFinishedInstance = (tx: Transaction, id: string): void => tx.write(sql.deleteFinishedInstance, [id])

export interface InstanceFilter {
  readonly definitionId: string | null
  readonly status: InstanceStatus | null
  readonly businessKey: string | null
  readonly version: number | null
  /** Ids strictly between. */
  readonly afterId: string
  readonly beforeId: string
  readonly failure: string | null
}

export const filterColumns = (f: InstanceFilter): unknown[] => [
  f.definitionId,
  f.status,
  f.businessKey,
  f.version,
  f.afterId,
  f.beforeId,
  f.failure,
]

/** Newest first, live and finished together. */
export const listInstances = (
  db: Database,
  filter: InstanceFilter,
  limit: number,
  offset: number,
): Promise<InstanceRow[]> => db.query(sql.listInstances, [...filterColumns(filter), limit + offset, offset])

/** Exact up to the cap. */
export async function countInstances(db: Database, filter: InstanceFilter, cap: number): Promise<number> {
  const [row] = await db.query<{ total: number }>(sql.countInstances, [...filterColumns(filter), cap])
  return row?.total ?? 0
}

/** The next audit sequence number of a finished instance. */
export async function bumpFinishedVersion(tx: Transaction, id: string): Promise<number | undefined> {
  const [row] = await tx.read<{ version: number }>(sql.bumpFinishedVersion, [id])
  return row?.version
}
