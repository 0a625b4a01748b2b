// Settings of one transaction. No session state is left behind, so that a transaction-mode pooler may stand between.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "lock-timeout", ["setLockTimeout"])

/** Limits how long the transaction waits for a lock. A caller's own is limited, and set back, where it is taken. */
export async function setLockTimeout(tx: Transaction): Promise<void> {
  if (tx.isOurs) await tx.read(sql.setLockTimeout, { lockTimeout: String(tx.lockWaitMs) })
}
