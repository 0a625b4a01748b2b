// Typed access to shadow mode, and to the changes that processes have to read.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "state", [
  "readState",
  "lockState",
  "setShadow",
  "noteGuardChange",
  "readGuardChanges",
])

export interface GuardStateRow extends Record<string, unknown> {
  readonly version: number
  /** JSON; null is as configured. */
  readonly shadow: string | null
  readonly shadow_by: string | null
  readonly shadow_at: number | null
}

export async function readState(db: Reader): Promise<GuardStateRow> {
  const [row] = await db.read<GuardStateRow>(sql.readState)
  return row as GuardStateRow
}

/** Locks the state so that two changes at the same time do not overwrite each other. */
export async function lockState(tx: Transaction): Promise<GuardStateRow> {
  const [row] = await tx.read<GuardStateRow>(sql.lockState)
  return row as GuardStateRow
}

interface ShadowChange {
  readonly shadow: object
  readonly actor: string
  readonly at: number
}

export const setShadow = (tx: Transaction, { shadow, actor, at }: ShadowChange): void =>
  tx.write(sql.setShadow, { shadow: JSON.stringify(shadow), actor, at: timestamp(at) })

export interface GuardChange {
  readonly act: "block" | "unblock" | "soft-block" | "pardon" | "shadow"
  readonly kind?: string | undefined
  readonly value: string
}

/** Makes every process read it. */
export const noteGuardChange = (tx: Transaction, { act, kind, value }: GuardChange, at: number): void =>
  tx.write(sql.noteGuardChange, { act, kind: kind ?? null, value, at: timestamp(at) })

export interface GuardChangeRow extends Record<string, unknown> {
  readonly version: number
  readonly act: GuardChange["act"]
  readonly kind: string | null
  readonly value: string
}

/** What came after a version, oldest first. */
export const readGuardChanges = (db: Database, version: number, limit: number): Promise<GuardChangeRow[]> =>
  db.query(sql.readGuardChanges, { version, limit })
