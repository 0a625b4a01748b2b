// Typed access to the parked events.
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { EventRow } from "./events.ts"

const sql = statements(import.meta.url, "parked-events", ["insertParked", "listDue", "deleteParked", "postponeParked"])

export type NewParked = {
  readonly seq: number
  readonly event_id: string
  readonly key: string | null
  readonly reason: string
  readonly attempts: number
  readonly delay_ms: number | null
  readonly is_behind: boolean
  /** The one that it waits behind is parked by the same statement. */
  readonly has_head: boolean
}

export const insertParked = (tx: Transaction, sink: string, parked: readonly NewParked[]): void =>
  tx.write(sql.insertParked, { sink, parked })

export type DueRow = EventRow & { readonly attempts: number }

/** At most one of each key: the others have to wait for it. */
export const listDue = (reader: Reader, sink: string, limit: number): Promise<DueRow[]> =>
  reader.read(sql.listDue, { sink, limit })

/** The sink took the event, or it is given up. */
export const deleteParked = (tx: Transaction, sink: string, seq: number): void =>
  tx.write(sql.deleteParked, { sink, seq })

interface Postponed {
  readonly sink: string
  readonly seq: number
  readonly attempts: number
  readonly reason: string
  /** Null waits for an operator. */
  readonly delayMs: number | null
}

export const postponeParked = (tx: Transaction, { sink, seq, attempts, reason, delayMs }: Postponed): void =>
  tx.write(sql.postponeParked, { sink, seq, attempts, reason, delayMs })
