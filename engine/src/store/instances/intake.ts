// Typed access to intake: keys, and the one statement that takes a run in.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { InstanceFilter } from "./finished-instances.ts"
import type { InstanceRow, NewInstanceRow } from "./instances.ts"

const sql = statements(import.meta.url, "intake", [
  "insertIntake",
  "insertIntakeKeys",
  "findIntake",
  "compareIntake",
  "listKeyed",
  "listChildren",
])

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
  const values = {
    rows: rows.map((row) => ({
      key: row.key,
      id: row.id,
      definition_id: row.definitionId,
      definition_version: row.definitionVersion,
      priority: row.priority,
      linking_id: row.linkingId,
      parent_id: row.parentId,
      input: row.input,
      state: row.state,
      version: row.version,
      queue_id: row.queueId,
      retries: row.retries,
      started_at: timestamp(row.startedAt),
      deadline_ms: row.deadlineMs,
      actor: row.actor,
      trace_context: row.trace ?? null,
    })),
    audited,
    lockTimeout: tx.isOurs ? String(tx.lockWaitMs) : null,
  }
  tx.write<{ fresh: number }>(sql.insertIntake, values, ([row]) => onFresh(row?.fresh ?? 0))
}

export interface IntakeKey {
  readonly definitionId: string
  readonly key: string
  readonly instanceId: string
}

/** The instances whose key was new. */
export async function insertIntakeKeys(tx: Transaction, keys: readonly IntakeKey[]): Promise<ReadonlySet<string>> {
  const rows = await tx.read<{ instance_id: string }>(sql.insertIntakeKeys, {
    keys: keys.map((k) => ({ definition_id: k.definitionId, key: k.key, instance_id: k.instanceId })),
  })
  return new Set(rows.map((row) => row.instance_id))
}

export interface IntakeFound extends Record<string, unknown> {
  readonly instance_id: string
  /** Whether it was taken in with this input; null while SQL has only asked for it. */
  readonly same: boolean | null
}

/** What is known of a key, as the reader sees it. */
export async function compareIntake(
  reader: Reader,
  definitionId: string,
  key: string,
  input: string,
): Promise<IntakeFound | undefined> {
  const [row] = await reader.read<IntakeFound>(sql.compareIntake, { definitionId, key, input })
  return row
}

export async function findIntake(db: Database, definitionId: string, key: string): Promise<string | undefined> {
  const [row] = await db.query<{ instance_id: string }>(sql.findIntake, { definitionId, key })
  return row?.instance_id
}

export interface KeyedRow extends InstanceRow {
  readonly key: string
  /** Null where the instance is not there. */
  readonly matches: boolean | null
  /** The last that was looked at: there may be more. */
  readonly is_last: boolean
}

/** Keys from `fromKey` on, after `afterKey`, before `beforeKey`. */
interface KeyRange {
  readonly fromKey: string
  readonly afterKey: string
  readonly beforeKey: string
  /** How many keys are looked at. */
  readonly lookAt: number
  readonly limit: number
}

export const listKeyed = (
  db: Database,
  filter: Omit<InstanceFilter, "failure">,
  keys: KeyRange,
): Promise<KeyedRow[]> => {
  const { definitionId, status, businessKey, version, afterId, beforeId } = filter
  return db.query(sql.listKeyed, { definitionId, status, businessKey, version, afterId, beforeId, ...keys })
}

interface AskedChild {
  readonly step: string
  readonly definitionId: string
  readonly key: string
}

export interface ChildRow extends Record<string, unknown> {
  readonly step: string
  readonly instance_id: string
}

/** The instances that were taken in with these keys. */
export const listChildren = (db: Database, asked: readonly AskedChild[]): Promise<ChildRow[]> =>
  db.query(sql.listChildren, {
    asked: asked.map(({ step, definitionId, key }) => ({ step, definition_id: definitionId, key })),
  })
