// Typed access to intake: keys, and the one statement that takes a run in.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import { traceColumn } from "../observability/trace-column.ts"
import type { NewInstanceRow } from "./instances.ts"

const sql = statements(import.meta.url, "intake", ["insertIntake", "insertIntakeKeys", "findIntake", "compareIntake"])

export interface IntakeRow extends NewInstanceRow {
  readonly key: string
  readonly actor: string
  readonly queueId: number
  readonly retries: number
  readonly deadlineMs: number | null
}

/** Rows in the order of their keys. Tells how many were new. */
export function insertIntake(
  tx: Transaction,
  rows: readonly IntakeRow[],
  audited: boolean,
  onFresh: (count: number) => void,
): void {
  const values = [
    rows.map((row) => row.key),
    rows.map((row) => row.id),
    rows.map((row) => row.definitionId),
    rows.map((row) => row.definitionVersion),
    rows.map((row) => row.priority),
    rows.map((row) => row.linkingId),
    rows.map((row) => row.input),
    rows.map((row) => row.state),
    rows.map((row) => row.version),
    rows.map((row) => row.queueId),
    rows.map((row) => row.retries),
    rows.map((row) => timestamp(row.startedAt)),
    rows.map((row) => row.deadlineMs),
    rows.map((row) => row.actor),
    audited,
    rows.map((row) => row.parentId),
    tx.isOurs ? String(tx.lockWaitMs) : null,
    traceColumn(rows),
  ]
  tx.write<{ fresh: number }>(sql.insertIntake, values, ([row]) => onFresh(row?.fresh ?? 0))
}

export interface IntakeKey {
  readonly definitionId: string
  readonly key: string
  readonly instanceId: string
}

/** The instances whose key was new. */
export async function insertIntakeKeys(tx: Transaction, keys: readonly IntakeKey[]): Promise<ReadonlySet<string>> {
  const rows = await tx.read<{ instance_id: string }>(sql.insertIntakeKeys, [
    keys.map((k) => k.definitionId),
    keys.map((k) => k.key),
    keys.map((k) => k.instanceId),
  ])
  return new Set(rows.map((row) => row.instance_id))
}

export interface IntakeFound extends Record<string, unknown> {
  readonly instance_id: string
  /** Whether it was taken in with this input; null while SQL has only asked for it. */
  readonly same: boolean | null
}

/** In a transaction as that sees it. */
export async function compareIntake(
  reader: Reader,
  definitionId: string,
  key: string,
  input: string,
): Promise<IntakeFound | undefined> {
  const [row] = await reader.read<IntakeFound>(sql.compareIntake, [definitionId, key, input])
  return row
}

export async function findIntake(db: Database, definitionId: string, key: string): Promise<string | undefined> {
  const [row] = await db.query<{ instance_id: string }>(sql.findIntake, [definitionId, key])
  return row?.instance_id
}
