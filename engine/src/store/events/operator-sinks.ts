// Typed access to sinks for an operator, and to the note of what was done.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "operator-sinks", ["listRelays", "findSinkLeader", "deleteSink", "noteEvents"])

export interface RelayState extends Record<string, unknown> {
  readonly name: string
  readonly after_seq: number
  readonly created_at: number
  /** The process whose relay sends to it. */
  readonly holder: string | null
  readonly per_second: number
}

export const listRelays = (db: Database): Promise<RelayState[]> => db.query(sql.listRelays)

/** The process whose relay sends to it at the moment. */
export async function findSinkLeader(reader: Reader, sink: string): Promise<string | undefined> {
  const [row] = await reader.read<{ holder: string }>(sql.findSinkLeader, { sink })
  return row?.holder
}

export const deleteSink = (tx: Transaction, sink: string): void => tx.write(sql.deleteSink, { sink })

interface EventsNote {
  readonly actor: string
  readonly kind: "event-replayed" | "event-discarded" | "events-replayed" | "events-discarded" | "sink-forgotten"
  /** The sink, or the sink and the event. */
  readonly name: string
  readonly detail: Readonly<Record<string, unknown>>
}

export const noteEvents = (tx: Transaction, { actor, kind, name, detail }: EventsNote): void =>
  tx.write(sql.noteEvents, { actor, kind, name, detail: JSON.stringify(detail) })
