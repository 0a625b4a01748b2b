// Typed access to jobs on their way through Kafka.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { JobKey } from "../../support/job-key.ts"
import { type JobColumns, toColumns } from "./job-columns.ts"

const sql = statements(import.meta.url, "dispatches", [
  "insertDispatches",
  "listUnpublished",
  "markPublished",
  "markByReference",
  "deleteDispatches",
  "holdDispatched",
  "countUnpublished",
  "findVariables",
  "listLate",
])

/** Which dispatch: of a job, at a claim. No interface: the rows of a list are taken by their names. */
export type DispatchKey = JobColumns & { readonly epoch: number }

type NewDispatch = DispatchKey & { readonly dedup_id: string; readonly job_type: string }

export const insertDispatches = (tx: Transaction, dispatches: readonly NewDispatch[]): void =>
  tx.write(sql.insertDispatches, { dispatches })

/** The columns of the job are null where it has ended, or is not the relay's any more. */
export interface UnpublishedRow extends Record<string, unknown>, JobColumns {
  readonly epoch: number
  readonly dedup_id: string
  readonly job_type: string
  readonly by_reference: boolean
  readonly created_at: number
  readonly queue_id: number | null
  readonly step_id: string
  readonly nonce: string
  readonly retries_left: number
  readonly run_ms: number | null
  readonly definition_id: string | null
  readonly business_key: string | null
  readonly effect_key: string | null
  readonly variables: string
  readonly trace_context: string | null
}

/** Lists them in the order of their claims. */
export const listUnpublished = (db: Database, limit: number): Promise<UnpublishedRow[]> =>
  db.query(sql.listUnpublished, { limit })

type PublishedPlace = DispatchKey & { readonly partition: number; readonly log_offset: number }

export const markPublished = (tx: Transaction, places: readonly PublishedPlace[]): void =>
  tx.write(sql.markPublished, { places })

export const markByReference = (tx: Transaction, dispatches: readonly DispatchKey[]): void =>
  tx.write(sql.markByReference, { dispatches })

export const deleteDispatches = (tx: Transaction, dispatches: readonly DispatchKey[]): void =>
  tx.write(sql.deleteDispatches, { dispatches })

type HeldDispatch = DispatchKey & { readonly reason: string; readonly delay_ms: number }

/** Their jobs are claimed again after the delay. */
export const holdDispatched = (tx: Transaction, dispatches: readonly HeldDispatch[]): void =>
  tx.write(sql.holdDispatched, { dispatches })

/** Jobs that Kafka has not got yet: dispatched and not acknowledged, or ready to be dispatched. */
export async function countUnpublished(db: Database, queueIds: readonly number[]): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(sql.countUnpublished, { queueIds })
  return row?.waiting ?? 0
}

/** The JSON text of them; undefined where the job is not leased. */
export async function findVariables(db: Database, key: JobKey): Promise<string | undefined> {
  const [row] = await db.query<{ variables: string }>(sql.findVariables, toColumns(key))
  return row?.variables
}

interface LateRow extends Record<string, unknown> {
  readonly job_type: string
  readonly late: number
  readonly oldest_at: number
}

/** Job types with dispatches that were written down so long ago and are not published. */
export const listLate = (db: Database, lateMs: number, limit: number): Promise<LateRow[]> =>
  db.query(sql.listLate, { lateMs, limit })
