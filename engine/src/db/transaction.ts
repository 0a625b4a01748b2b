// Transactions: what operations see of one, and our own kind on one connection. Reads issued in one turn of the event loop share a
// round trip; writes wait and are sent with COMMIT. One that a caller has begun is in callers-transaction.ts.
import type pg from "pg"
import { EngineError } from "../support/errors.ts"
import { bindValues, type NamedValues } from "./bind-values.ts"
import { encodeValues } from "./encode-values.ts"
import { BY_INDEX } from "./plan-settings.ts"
import { type Statement, statement } from "./statements.ts"
import { type Answer, type Car, type Row, sendTrain } from "./train.ts"
import { expectConfirmed } from "./unconfirmed-commit.ts"

/** How long a transaction waits for a row or a key that another one holds; then the caller is told to come back. */
export const LOCK_TIMEOUT_MS = 3_000

/** What a statement that only reads can run on: a transaction, or the database beside it. */
export interface Reader {
  read<R extends Row>(statement: Statement, values?: NamedValues): Promise<R[]>
}

export interface Transaction extends Reader {
  /** False where a caller has begun it: the caller commits it, and the commit is seen a moment later, or not at all. */
  readonly isOurs: boolean
  /** The longest wait for a lock of another transaction. */
  readonly lockWaitMs: number
  /** Run at once, in the order they are asked for. */
  read<R extends Row>(statement: Statement, values?: NamedValues): Promise<R[]>
  /** Run at the end, in order. What they return is there before anything that runs after the commit. */
  write<R extends Row>(statement: Statement, values: NamedValues, onRows?: (rows: readonly R[]) => void): void
  /**
   * Runs once COMMIT has answered, before the transaction's result is given out. Of a caller's transaction it runs soon after the commit,
   * and not at all where that is not seen: it may only make faster what happens in any case.
   */
  afterCommit(work: () => void): void
  /** Runs when the transaction has failed, or may have. */
  afterRollback(work: () => void): void
}

export interface TransactionOptions {
  readonly lockWaitMs?: number
}

type Qualify = (statement: Statement) => Statement

/** COMMIT answered ROLLBACK, or did not answer: what was written may not be there. */
export class CommitLostError extends Error {
  override name = "CommitLostError"
}

/** The transaction was committed, and what was to follow the commit failed: it must not be run again. */
export class AfterCommitError extends Error {
  override name = "AfterCommitError"
}

/**
 * Sent with every BEGIN, because a role, a database or a server may have other defaults. Under `serializable` two of three enqueues
 * failed without any benefit: rows are guarded by locks and by the conditions of the statements. Not set once for the session: a pooler
 * gives another session to the next transaction. It travels with the first statement, and takes 10 to 20 µs.
 */
const MODES = "isolation level read committed, read write, not deferrable"
export const BEGIN_TEXT = `begin ${MODES}`
/** For a script, which is a transaction by itself: to be its first statement. */
export const PIN_SCRIPT = `set transaction ${MODES};`

const BEGIN: Car = [statement("db.begin", BEGIN_TEXT), []]
const COMMIT: Car = [statement("db.commit", "commit"), []]

/** A transaction that is known from its beginning to its end: one train. */
export async function sendTransaction(
  client: pg.PoolClient,
  cars: readonly Car[],
  timeoutMs?: number,
): Promise<readonly Answer[]> {
  try {
    return committed(client, await sendTrain(client, [BEGIN, ...cars, COMMIT], timeoutMs)).slice(1)
  } catch (error) {
    await rollBack(client, error)
    throw error
  }
}

/** All answers but that of the commit. */
function committed(client: pg.PoolClient, answers: readonly Answer[]): readonly Answer[] {
  if (answers.at(-1)?.tag !== "COMMIT") throw new CommitLostError("the transaction was rolled back")
  expectConfirmed(client)
  return answers.slice(0, -1)
}

/** Not asked of a connection that is to be thrown away: one that has gone silent would keep us waiting once more. */
async function rollBack(client: pg.PoolClient, error: unknown): Promise<void> {
  const isKept = error instanceof EngineError || (typeof error === "object" && error !== null && "severity" in error)
  if (isKept) await client.query("rollback").catch(() => end(client))
}

/** The transaction may still be open: the pool takes back no connection that is ending. */
const end = (client: pg.PoolClient): void => void (client as unknown as pg.Client).end().catch(() => {})

type OnRows = (rows: readonly Row[]) => void

interface PendingRead {
  readonly car: Car
  readonly resolve: (rows: Row[]) => void
  readonly reject: (error: unknown) => void
}

export class OwnTransaction implements Transaction {
  readonly isOurs = true
  readonly lockWaitMs: number
  readonly #client: pg.PoolClient
  readonly #qualify: Qualify
  readonly #writes: Car[] = []
  readonly #results: (OnRows | undefined)[] = []
  readonly #afterCommit: (() => void)[] = []
  readonly #afterRollback: (() => void)[] = []
  #reads: PendingRead[] = []
  #answers: readonly Answer[] = []
  #begun = false

  private constructor(client: pg.PoolClient, qualify: Qualify, { lockWaitMs = LOCK_TIMEOUT_MS }: TransactionOptions) {
    this.#client = client
    this.#qualify = qualify
    this.lockWaitMs = lockWaitMs
  }

  static async run<T>(
    client: pg.PoolClient,
    qualify: Qualify,
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const tx = new OwnTransaction(client, qualify, options)
    try {
      const result = await work(tx)
      await tx.#commit()
      tx.#follow()
      return result
    } catch (error) {
      await tx.#rollback(error)
      for (const work of tx.#afterRollback) work()
      throw error
    }
  }

  /** Sent at the end of this turn; several reads that are not awaited one by one share a round trip. */
  read<R extends Row>(statement: Statement, values: NamedValues = {}): Promise<R[]> {
    return new Promise<Row[]>((resolve, reject) => {
      this.#reads.push({ car: [this.#qualify(statement), bindValues(statement, values)], resolve, reject })
      if (this.#reads.length === 1) queueMicrotask(() => this.#sendReads())
    }) as Promise<R[]>
  }

  /** Buffered until COMMIT, as text: the rows themselves would live as long as the transaction, and be copied by collections. */
  write<R extends Row>(statement: Statement, values: NamedValues, onRows?: (rows: readonly R[]) => void): void {
    this.#writes.push([this.#qualify(statement), encodeValues(bindValues(statement, values))])
    this.#results.push(onRows as OnRows | undefined)
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work)
  }

  afterRollback(work: () => void): void {
    this.#afterRollback.push(work)
  }

  async #sendReads(): Promise<void> {
    const reads = this.#reads
    this.#reads = []
    const opening = this.#begun ? [] : [BEGIN, BY_INDEX]
    this.#begun = true
    try {
      const answers = await sendTrain(this.#client, [...opening, ...reads.map((read) => read.car)])
      for (const [index, read] of reads.entries()) read.resolve((answers[opening.length + index] as Answer).rows)
    } catch (error) {
      for (const read of reads) read.reject(error)
    }
  }

  async #commit(): Promise<void> {
    if (this.#begun) this.#answers = committed(this.#client, await sendTrain(this.#client, [...this.#writes, COMMIT]))
    else if (this.#writes.length > 0) {
      const opening = this.#writes.every(([{ planned }]) => planned === "plainly") ? [] : [BY_INDEX]
      this.#answers = (await sendTransaction(this.#client, [...opening, ...this.#writes])).slice(opening.length)
    }
    this.#begun = false
  }

  #follow(): void {
    try {
      for (const [index, onRows] of this.#results.entries()) onRows?.(this.#answers[index]?.rows ?? [])
      for (const work of this.#afterCommit) work()
    } catch (cause) {
      throw new AfterCommitError("the transaction is committed, but what follows it failed", { cause })
    }
  }

  async #rollback(error: unknown): Promise<void> {
    if (!this.#begun) return
    this.#begun = false
    await rollBack(this.#client, error)
  }
}
