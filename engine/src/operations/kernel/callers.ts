// Work in a transaction that the caller has begun, on the caller's connection.
import { type CallersTx, connectionOf } from "../../db/callers-connection.ts"
import { callersTransaction } from "../../db/callers-transaction.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { Kernel } from "./kernel.ts"

export type { CallersTx } from "../../db/callers-connection.ts"

/** In the caller's transaction where there is one: what the work writes is there when this returns, and counts once the caller commits. */
export const within = <T>(
  kernel: Kernel,
  tx: CallersTx | undefined,
  work: (tx?: Transaction) => Promise<T>,
): Promise<T> => (tx === undefined ? work() : callersTransaction(kernel.db, tx, work))

/** Refuses what is no transaction, before anything is done for it. */
export function checkTransaction(tx: CallersTx | undefined): void {
  if (tx !== undefined) connectionOf(tx)
}
