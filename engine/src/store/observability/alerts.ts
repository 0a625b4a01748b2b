// Typed access to the alerts that stand.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "alerts", ["listAlerts", "raiseAlert", "clearAlert", "markTold"])

export interface AlertRow extends Record<string, unknown> {
  readonly name: string
  readonly raised_at: number
  /** JSON: what it was raised with. */
  readonly detail: string
  /** No notification was sent, and the process that raised the alert is not going to send one. */
  readonly is_left: boolean
}

export const listAlerts = (db: Database): Promise<AlertRow[]> => db.query(sql.listAlerts)

/** Undefined when it stands already. */
export async function raiseAlert(tx: Transaction, name: string, detail: object): Promise<AlertRow | undefined> {
  const [row] = await tx.read<AlertRow>(sql.raiseAlert, { name, detail: JSON.stringify(detail) })
  return row
}

export const clearAlert = (tx: Transaction, name: string): void => tx.write(sql.clearAlert, { name })

export async function markTold(db: Database, name: string): Promise<void> {
  await db.query(sql.markTold, { name })
}
