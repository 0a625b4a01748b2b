// Typed access to the sinks and to their positions.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { Stop } from "../../model/events/plan-move.ts"

const sql = statements(import.meta.url, "sinks", [
  "insertSink",
  "listSinks",
  "findSink",
  "lockSink",
  "moveSink",
  "stopSink",
])

export type SinkKind = "in-process" | "http" | "kafka"

/** One that is known already keeps its position. */
export async function insertSink(db: Database, name: string, kind: SinkKind): Promise<void> {
  await db.query(sql.insertSink, { name, kind })
}

export interface SinkState extends Record<string, unknown> {
  readonly name: string
  readonly kind: SinkKind
  /** Events above its position, at most. */
  readonly depth: number
  /** Age of the oldest of them. */
  readonly lag_seconds: number
  readonly parked: number
  readonly moved_at: number | null
  readonly failures: number
  readonly last_error: string | null
  readonly retry_at: number | null
}

export const listSinks = (db: Database): Promise<SinkState[]> => db.query(sql.listSinks)

export interface SinkRow extends Record<string, unknown> {
  readonly after_seq: number
  /** True while the sink is left alone after a failure. Null where there was none. */
  readonly rests: boolean | null
}

export async function findSink(reader: Reader, sink: string): Promise<SinkRow | undefined> {
  const [row] = await reader.read<SinkRow>(sql.findSink, { sink })
  return row
}

/** Its position, with the lock that moves, parkings and the acts of operators share. */
export async function lockSink(tx: Transaction, sink: string): Promise<number | undefined> {
  const [row] = await tx.read<{ after_seq: number }>(sql.lockSink, { sink })
  return row?.after_seq
}

export const moveSink = (tx: Transaction, sink: string, toSeq: number): void => tx.write(sql.moveSink, { sink, toSeq })

export const stopSink = (tx: Transaction, sink: string, { reason, restMs }: Stop): void =>
  tx.write(sql.stopSink, { sink, error: reason, restMs })
