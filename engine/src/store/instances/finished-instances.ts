// Typed access to finished instances, and to both kinds where a reader does not care.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import { type InstanceRow, instanceColumns, type LockedInstanceRow, type NewInstanceRow } from "./instances.ts"

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

export const insertFinishedInstances = (tx: Transaction, rows: readonly FinishedInstanceRow[]): void =>
  tx.write(sql.insertFinishedInstances, {
    instances: rows.map((row) => ({
      ...instanceColumns(row),
      completed_at: timestamp(row.completedAt),
      failure_reason: row.failureReason,
      failure: row.failure,
    })),
  })

export interface LockedFinishedRow extends LockedInstanceRow {
  readonly linking_id: string | null
  readonly parent_id: string | null
  readonly input: string
  readonly reads_variables: boolean
  readonly started_at: number
  readonly trace_context: string | null
  readonly undone_by: string | null
}

export async function lockFinishedInstance(tx: Transaction, id: string): Promise<LockedFinishedRow | undefined> {
  const [row] = await tx.read<LockedFinishedRow>(sql.lockFinishedInstance, { id })
  return row
}

export const deleteFinishedInstance = (tx: Transaction, id: string): void =>
  tx.write(sql.deleteFinishedInstance, { id })

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

export const filterValues = (filter: InstanceFilter) => ({
  definitionId: filter.definitionId,
  status: filter.status,
  businessKey: filter.businessKey,
  version: filter.version,
  afterId: filter.afterId,
  beforeId: filter.beforeId,
  failure: filter.failure,
})

/** Newest first, live and finished together. */
export const listInstances = (
  db: Database,
  filter: InstanceFilter,
  limit: number,
  offset: number,
): Promise<InstanceRow[]> => db.query(sql.listInstances, { ...filterValues(filter), read: limit + offset, offset })

/** Exact up to the cap. */
export async function countInstances(db: Database, filter: InstanceFilter, cap: number): Promise<number> {
  const [row] = await db.query<{ total: number }>(sql.countInstances, { ...filterValues(filter), cap })
  return row?.total ?? 0
}

/** The next audit sequence number of a finished instance. */
export async function bumpFinishedVersion(tx: Transaction, id: string): Promise<number | undefined> {
  const [row] = await tx.read<{ version: number }>(sql.bumpFinishedVersion, { id })
  return row?.version
}
