// The transaction of a message: one of ours, or one that the caller's own library opens and commits.
import { callersTransaction } from "../../../db/callers-transaction.ts"
import type { Database } from "../../../db/database.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { proveUnbroken } from "../../../store/kernel/server.ts"
import { badRequest } from "../../../support/errors.ts"
import type { CallersTx } from "../../kernel/callers.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { StepTransaction } from "../../runs/step-transaction.ts"
import type { Unit } from "./consumer.ts"

export interface TxUnit<Tx> extends Unit {
  /** What the handler writes through. */
  readonly tx: Tx
  /** The transaction can be rolled back while the handler still runs: later writes of the handler are refused. */
  readonly canLeave: boolean
}

export type InTransaction<Tx> = <T>(work: (unit: TxUnit<Tx>) => Promise<T>) => Promise<T>

interface OwnTx {
  query<Row>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[]; rowCount: number | null }>
}

/** On connections that the consumer has for itself. */
export const inOwnTransaction =
  ({ db }: Kernel, connections: Database): InTransaction<OwnTx> =>
  async (work) => {
    const own = new StepTransaction(connections)
    try {
      const tx: OwnTx = { query: (text, values) => own.query(text, values) }
      const result = await work({ tx, canLeave: true, within: (inside) => own.within(db, inside) })
      await own.commit()
      return result
    } catch (error) {
      await own.rollback()
      throw error
    }
  }

/** Opens a transaction, runs the work in it and commits; rolls back when the work rejects. */
export type OpenTransaction<Tx> = (work: (tx: Tx) => Promise<void>) => Promise<unknown>

export const inCallersTransaction =
  <Tx extends CallersTx>({ db }: Kernel, open: OpenTransaction<Tx>): InTransaction<Tx> =>
  async <T>(work: (unit: TxUnit<Tx>) => Promise<T>): Promise<T> => {
    const afterCommit: (() => void)[] = []
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    await open(async (tx) => {
      const within = <R>(inside: (own: Transaction) => Promise<R>) =>
        callersTransaction(db, tx, inside, (after) => void afterCommit.push(after))
      try {
        const value = await work({ tx, canLeave: false, within })
        // A handler may have swallowed the error of a statement: then nothing would be committed, and the message be lost.
        await within(proveUnbroken)
        outcome = { value }
      } catch (error) {
        outcome = { error }
        throw error
      }
    })
    if (!outcome) throw badRequest("`transaction` has to call the function that it is given, in its transaction")
    if ("error" in outcome) throw outcome.error
    for (const after of afterCommit) after()
    return outcome.value
  }
