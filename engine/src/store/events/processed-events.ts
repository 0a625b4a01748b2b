// Typed access to the marks of events that consumers have taken.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { LaneKey } from "./consumer-lanes.ts"

const sql = statements(import.meta.url, "processed-events", ["markEvent", "pruneProcessed"])

export interface NewMark extends LaneKey {
  readonly eventId: string
  readonly consumerGroup: string
}

export interface MarkRow extends Record<string, unknown> {
  /** False: it was taken before. */
  readonly is_new: boolean
  /** An earlier message of its lane has failed and is tried again, as far as this look tells. */
  readonly is_held: boolean
}

export async function markEvent(
  tx: Transaction,
  { eventId, consumerGroup, consumer, lane }: NewMark,
): Promise<MarkRow> {
  const [row] = await tx.read<MarkRow>(sql.markEvent, { eventId, consumerGroup, consumer, lane })
  return row ?? { is_new: false, is_held: false }
}

/** How many were older, at most `limit`. */
export async function pruneProcessed(db: Database, retainMs: number, limit: number): Promise<number> {
  const [row] = await db.query<{ gone: number }>(sql.pruneProcessed, { retainMs, limit })
  return row?.gone ?? 0
}
