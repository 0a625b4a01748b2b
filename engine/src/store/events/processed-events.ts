// Typed access to the marks of events that consumers have taken.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "processed-events", ["markEvents", "pruneProcessed"])

export interface NewMarks {
  readonly consumer: string
  readonly consumerGroup: string
  /** Each once. */
  readonly eventIds: readonly string[]
  /** One for each event. */
  readonly lanes: readonly string[]
}

export interface MarkRow extends Record<string, unknown> {
  /** False: it was taken before. */
  readonly is_new: boolean
  /** An earlier message of its lane has failed and is tried again, as far as this look tells. */
  readonly is_held: boolean
}

/** A row for each event, in their order. */
export const markEvents = (tx: Transaction, marks: NewMarks): Promise<MarkRow[]> =>
  tx.read<MarkRow>(sql.markEvents, { ...marks })

/** Deletes older marks, at most `limit`. Returns how many were deleted. */
export async function pruneProcessed(db: Database, retainMs: number, limit: number): Promise<number> {
  const [row] = await db.query<{ gone: number }>(sql.pruneProcessed, { retainMs, limit })
  return row?.gone ?? 0
}
