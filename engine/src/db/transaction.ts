// One transaction on one connection: reads go out at once, writes wait and travel together with COMMIT.
import type pg from "pg"
import { encodeValues } from "./array-literal.ts"
import type { Row, Values } from "./database.ts"
import type { Statement } from "./statements.ts"

type Qualify = (statement: Statement) => Statement

/** COMMIT answered ROLLBACK, or did not answer: what was written may not be there. */
export class CommitLostError extends Error {
  override name = "CommitLostError"
}

export class Transaction {
  readonly #client: pg.PoolClient
  readonly #qualify: Qualify
  readonly #writes: [Statement, Values][] = []
  readonly #after: (() => void)[] = []
  #begun = false

  private constructor(client: pg.PoolClient, qualify: Qualify) {
    this.#client = client
    this.#qualify = qualify
  }

  static async run<T>(client: pg.PoolClient, qualify: Qualify, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new Transaction(client, qualify)
    try {
      const result = await work(tx)
      await tx.#commit()
      for (const work of tx.#after) work()
      return result
    } catch (error) {
      await tx.#rollback()
      throw error
    }
  }

  /** Sent at once; several reads that are not awaited one by one share a round trip. */
  async read<R extends Row>(statement: Statement, values: Values): Promise<R[]> {
    const begin = this.#begin()
    const rows = this.#send<R>(statement, values)
    const [, result] = await allSettledFirst([begin, rows])
    return result as R[]
  }

  /** Buffered until COMMIT. Order is kept. */
  write(statement: Statement, values: Values): void {
    this.#writes.push([statement, values])
  }

  /** Runs once COMMIT has answered, before the transaction's result is given out. */
  afterCommit(work: () => void): void {
    this.#after.push(work)
  }

  async #commit(): Promise<void> {
    if (!this.#begun && this.#writes.length === 0) return
    const sent: Promise<unknown>[] = []
    inOneWrite(this.#client, () => {
      sent.push(this.#begin())
      for (const [statement, values] of this.#writes) sent.push(this.#send(statement, values))
      sent.push(this.#client.query("COMMIT").then(assertCommitted))
    })
    await allSettledFirst(sent)
    this.#begun = false
  }

  async #rollback(): Promise<void> {
    if (!this.#begun) return
    this.#begun = false
    await this.#client.query("ROLLBACK").catch(() => {})
  }

  #begin(): Promise<unknown> {
    if (this.#begun) return Promise.resolve()
    this.#begun = true
    return this.#client.query("BEGIN")
  }

  async #send<R extends Row>(statement: Statement, values: Values): Promise<R[]> {
    const { name, text } = this.#qualify(statement)
    const result = await this.#client.query<R>({ name, text, values: encodeValues(values) })
    return result.rows
  }
}

/** One system call for all statements of a commit instead of one each: writing was a fifth of a busy engine's time. */
export function inOneWrite(client: pg.PoolClient, send: () => void): void {
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection
  stream.cork()
  try {
    send()
  } finally {
    stream.uncork()
  }
}

function assertCommitted(result: pg.QueryResult): void {
  if (result.command !== "COMMIT") throw new CommitLostError("the transaction was rolled back")
}

/** Waits for every promise (no answer may be left on the wire), then throws the first failure in order. */
export async function allSettledFirst(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(promises)
  const failed = results.find((result) => result.status === "rejected")
  if (failed) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value)
}
