// Typed access to the events of the outbox.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { Sighting } from "../../model/events/horizon.ts"

const sql = statements(import.meta.url, "events", [
  "insertEvents",
  "appendEvents",
  "listExpectedTypes",
  "readLastSeq",
  "readTransactions",
  "listEvents",
])

export type NewEvent = {
  readonly id: string
  readonly type: string
  readonly key: string | null
  /** JSON, as are the headers. */
  readonly payload: string
  readonly headers: string
}

interface NewRow extends Record<string, unknown> {
  readonly id: string
  readonly incarnation: string
}

/** Events are known by their ids together with the incarnation of the database. */
export const wireId = ({ id, incarnation }: { readonly id: string; readonly incarnation: string }): string =>
  `${id}-${incarnation}`

/** The ids of those that were written: all, or none where too many wait. */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<string[]> {
  const rows = await tx.read<NewRow>(sql.insertEvents, { events })
  return rows.map(wireId)
}

/** All of them, whether there is room or not. */
export const appendEvents = (tx: Transaction, events: readonly NewEvent[]): void =>
  tx.write(sql.appendEvents, { events })

export interface EventRow extends Record<string, unknown> {
  readonly seq: number
  readonly id: string
  readonly incarnation: string
  readonly type: string
  readonly key: string | null
  readonly payload: string
  readonly headers: string
  readonly created_at: number
  /** An earlier one of its key is parked. */
  readonly is_behind: boolean
}

/** The last place that was given out. */
export async function readLastSeq(on: Reader): Promise<number> {
  const [last] = await on.read<{ last_seq: number }>(sql.readLastSeq)
  return last?.last_seq ?? 0
}

/** In this order and in a transaction of its own: see `Horizon`. */
export async function sightEvents(tx: Transaction): Promise<Sighting> {
  const [lastSeq, [own]] = await Promise.all([
    readLastSeq(tx),
    tx.read<{ xid: number; xmin: number }>(sql.readTransactions),
  ])
  return { lastSeq, xid: own?.xid ?? 0, xmin: own?.xmin ?? 0 }
}

interface Reading {
  readonly sink: string
  /** All, unless some are named. */
  readonly types: readonly string[] | null
  readonly limit: number
  /** The place to begin after; where the sink is, unless it is said. */
  readonly aheadOf: number | null
}

/** Events above that place, whether they are settled or not. */
export const listEvents = (reader: Reader, { sink, types, limit, aheadOf }: Reading): Promise<EventRow[]> =>
  reader.read(sql.listEvents, { sink, types, limit, aheadOf })

/** Types of events that a sink will be sent, as far as they are known. */
export const listExpectedTypes = async (db: Database, sink: string): Promise<string[]> =>
  (await db.query<{ type: string }>(sql.listExpectedTypes, { sink })).map(({ type }) => type)
