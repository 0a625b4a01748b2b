// Typed access to the sinks and to their positions.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "sinks", ["insertSink", "findSink", "lockSink", "moveSink", "stopSink"])

export type SinkKind = "in-process" | "http" | "kafka"

/** One that is known already keeps its position. */
export async function insertSink(db: Database, name: string, kind: SinkKind): Promise<void> {
  await db.query(sql.insertSink, { name, kind })
}

export interface SinkRow extends Record<string, unknown> {
  readonly after_seq: number
  /** It is left alone for a while after a failure. Null where there was none. */
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

export const stopSink = (tx: Transaction, sink: string, error: string): void => tx.write(sql.stopSink, { sink, error })
