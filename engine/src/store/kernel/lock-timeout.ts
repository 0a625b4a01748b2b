// Settings of one transaction: no session state is ever left behind, so that a transaction-mode pooler may stand between.
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "lock-timeout", ["setLockTimeout"])

/** From here on the transaction waits for nobody longer than it may. A caller's is limited, and given back as it was, by whoever took it. */
export async function setLockTimeout(tx: Transaction): Promise<void> {
  if (tx.isOurs) await tx.read(sql.setLockTimeout, [String(tx.lockWaitMs)])
}
