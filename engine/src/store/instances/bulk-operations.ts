// Typed access to bulk operations and to the instances they are about.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { filterValues, type InstanceFilter } from "./finished-instances.ts"

const sql = statements(import.meta.url, "bulk-operations", [
  "insertBulk",
  "findBulk",
  "findRunningBulk",
  "countBulk",
  "finishBulk",
  "listLiveMatching",
  "listFailedMatching",
  "countLiveMatching",
  "countFailedMatching",
  "pruneBulk",
])

/** What is done to instances. */
export type InstanceAction = "cancel" | "retry"
/** Replay and discard are done to dead letters. */
export type BulkAction = InstanceAction | "replay" | "discard"

export interface BulkRow extends Record<string, unknown> {
  readonly id: string
  readonly action: BulkAction
  readonly filter: string
  readonly reason: string | null
  readonly actor: string
  readonly dry_run: boolean
  readonly matched: number
  readonly done: number
  readonly failed: number
  readonly after_id: string
  readonly until_id: string
  readonly created_at: number
  readonly finished_at: number | null
}

export interface NewBulkRow {
  readonly id: string
  readonly action: BulkAction
  readonly filter: string
  readonly reason: string | null
  readonly actor: string
  readonly dryRun: boolean
  readonly matched: number
  readonly untilId: string
}

export const insertBulk = (tx: Transaction, row: NewBulkRow): void =>
  tx.write(sql.insertBulk, {
    id: row.id,
    action: row.action,
    filter: row.filter,
    reason: row.reason,
    actor: row.actor,
    dryRun: row.dryRun,
    matched: row.matched,
    untilId: row.untilId,
  })

export async function findBulk(db: Database, id: string): Promise<BulkRow | undefined> {
  const [row] = await db.query<BulkRow>(sql.findBulk, { id })
  return row
}

export async function findRunningBulk(db: Database): Promise<BulkRow | undefined> {
  const [row] = await db.query<BulkRow>(sql.findRunningBulk)
  return row
}

export const countBulk = (
  tx: Transaction,
  id: string,
  counts: { done: number; failed: number },
  afterId: string,
): void => tx.write(sql.countBulk, { id, done: counts.done, failed: counts.failed, afterId })

export const finishBulk = (tx: Transaction, id: string): void => tx.write(sql.finishBulk, { id })

export interface MatchingRow extends Record<string, unknown> {
  readonly id: string
}

export const listMatching = (
  db: Database,
  action: InstanceAction,
  filter: InstanceFilter,
  limit: number,
): Promise<MatchingRow[]> =>
  db.query(action === "cancel" ? sql.listLiveMatching : sql.listFailedMatching, { ...filterValues(filter), limit })

export async function countMatching(db: Database, action: InstanceAction, filter: InstanceFilter): Promise<number> {
  const statement = action === "cancel" ? sql.countLiveMatching : sql.countFailedMatching
  const [row] = await db.query<{ total: number }>(statement, filterValues(filter))
  return row?.total ?? 0
}

export async function pruneBulk(db: Database, olderThanMs: number): Promise<void> {
  await db.query(sql.pruneBulk, { olderThanMs })
}
