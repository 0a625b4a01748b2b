// Typed access to the settings of job types.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "job-types", [
  "setJobType",
  "clearJobType",
  "setDefaultsOfType",
  "listJobTypes",
])

/** What an operator says of a job type; null where nothing is said. */
export interface JobTypeSettings {
  readonly name: string
  readonly timeoutMs: number | null
  /** What becomes of variables that are too large for a message of Kafka. */
  readonly largePayload: "fail" | "reference" | null
}

/** True where it was different before. */
export async function setJobType(
  tx: Transaction,
  { name, timeoutMs, largePayload }: JobTypeSettings,
): Promise<boolean> {
  const rows = await tx.read(sql.setJobType, { name, timeoutMs, largePayload })
  return rows.length > 0
}

/** True where something was said. */
export async function clearJobType(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.read(sql.clearJobType, { name })).length > 0
}

export interface JobTypeRow extends Record<string, unknown> {
  readonly name: string
  readonly timeout_ms: number | null
  readonly large_payload: JobTypeSettings["largePayload"]
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
