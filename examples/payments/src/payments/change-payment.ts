// A change that is decided from a payment as it stands: read, decided and written under its version, and again if another was faster.
import { type Db, inTransaction, type Tx } from "./database.ts"
import { findPayment, type Payment } from "./payments.ts"

const MOST_TRIES = 10

/** The change returns undefined when its version was stale. Undefined here: there is no such payment. */
export async function changePayment(
  db: Db,
  id: string,
  change: (tx: Tx, payment: Payment) => Promise<Payment | undefined>,
): Promise<Payment | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const payment = await findPayment(db, id)
    if (!payment) return undefined
    const changed = await inTransaction(db, (tx) => change(tx, payment))
    if (changed) return changed
  }
  throw new Error(`payment ${id} was changed by others ${MOST_TRIES} times in a row`)
}
