// Typed access to parked events for an operator.
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "operator-parked", [
  "listParked",
  "countParked",
  "findParked",
  "replayParked",
  "replayMatching",
  "discardMatching",
])

export interface ParkedRow extends Record<string, unknown> {
  readonly sink: string
  readonly seq: number
  readonly key: string | null
  readonly reason: string
  readonly attempts: number
  readonly parked_at: number
  readonly next_at: number | null
  readonly id: string
  readonly incarnation: string
  readonly type: string
  readonly created_at: number
  readonly is_behind: boolean
}

export interface ParkedFilter {
  readonly sink?: string | undefined
  readonly type?: string | undefined
  readonly key?: string | undefined
}

interface ParkedPage {
  readonly afterSink: string
  readonly afterSeq: number
  readonly limit: number
}

const valuesOf = ({ sink, type, key }: ParkedFilter) => ({ sink: sink ?? null, type: type ?? null, key: key ?? null })

export const listParked = (reader: Reader, filter: ParkedFilter, page: ParkedPage): Promise<ParkedRow[]> =>
  reader.read(sql.listParked, { ...valuesOf(filter), ...page })

export type OneSink = ParkedFilter & { readonly sink: string }

interface ParkedCount extends Record<string, unknown> {
  readonly total: number
  /** How many of them no earlier event of their key keeps back. */
  readonly first: number
}

export async function countParked(reader: Reader, filter: OneSink): Promise<ParkedCount> {
  const [row] = await reader.read<ParkedCount>(sql.countParked, valuesOf(filter))
  return row ?? { total: 0, first: 0 }
}

interface FoundParked extends Record<string, unknown> {
  readonly seq: number
  readonly is_behind: boolean
}

export async function findParked(reader: Reader, sink: string, eventId: string): Promise<FoundParked | undefined> {
  const [row] = await reader.read<FoundParked>(sql.findParked, { sink, eventId })
  return row
}

/** The event is due now, and has all its tries again. */
export const replayParked = (tx: Transaction, sink: string, seq: number): void =>
  tx.write(sql.replayParked, { sink, seq })

/** How many were sent on their way, of those that match at most this many. */
export const replayMatching = (tx: Transaction, filter: OneSink, limit: number): Promise<number> =>
  changed(tx.read(sql.replayMatching, { ...valuesOf(filter), limit }))

export const discardMatching = (tx: Transaction, filter: OneSink, limit: number): Promise<number> =>
  changed(tx.read(sql.discardMatching, { ...valuesOf(filter), limit }))

async function changed(rows: Promise<{ changed: number }[]>): Promise<number> {
  const [row] = await rows
  return row?.changed ?? 0
}
