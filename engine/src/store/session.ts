// Settings of one transaction: no session state is ever left behind, so that a transaction-mode pooler may stand between.
import { statements } from "../db/statements.ts"
import type { Transaction } from "../db/transaction.ts"

const sql = statements(import.meta.url, "session", ["setLockTimeout"])

/** How long a transaction waits for a row or a key that another one holds; then the caller is told to come back. */
export const LOCK_TIMEOUT_MS = 3_000

export async function setLockTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.read(sql.setLockTimeout, [String(ms)])
}
