// Typed access to the settings of job types.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "job-types", [
  "setTimeoutOfType",
  "deleteTimeoutOfType",
  "setDefaultsOfType",
  "listJobTypes",
])

/** True where the time-out was different before. */
export async function setTimeoutOfType(tx: Transaction, name: string, timeoutMs: number): Promise<boolean> {
  return (await tx.read(sql.setTimeoutOfType, { name, timeoutMs })).length > 0
}

/** True where there was a time-out. */
export async function deleteTimeoutOfType(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.read(sql.deleteTimeoutOfType, { name })).length > 0
}

export interface JobTypeRow extends Record<string, unknown> {
  readonly name: string
  readonly timeout_ms: number | null
  /** When a worker asked for it last. */
  readonly polled_at: number | null
  readonly changed_at: number | null
  readonly changed_by: string | null
}

/** Job types with a setting, and those that have had jobs. */
export const listJobTypes = (db: Database): Promise<JobTypeRow[]> => db.query(sql.listJobTypes)

/** `defaults` is JSON; null takes them away. */
export const setDefaultsOfType = (tx: Transaction, name: string, defaults: string | null): void =>
  tx.write(sql.setDefaultsOfType, { name, defaults })
