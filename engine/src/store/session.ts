// Settings of one transaction: no session state is ever left behind, so that a transaction-mode pooler may stand between.
import { statements } from "../db/statements.ts"
import type { Transaction } from "../db/transaction.ts"

const sql = statements(import.meta.url, "session", ["setLockTimeout"])

export async function setLockTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.read(sql.setLockTimeout, [String(ms)])
}
