// The transaction a step may write in: opened at its first statement, committed by the runner of the step, never by the step.
import { callersTransaction } from "../../db/callers-transaction.ts"
import type { Database } from "../../db/database.ts"
import { fromDatabase, isAwayByItself } from "../../db/errors.ts"
import { BEGIN_TEXT, type Transaction } from "../../db/transaction.ts"
import { DRIVER_TYPES } from "../../db/types.ts"
import type { HeldLease } from "../../store/jobs/jobs.ts"
import { lockRun } from "../../store/runs/run-lease.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import { transactionWord } from "./transaction-words.ts"

type Client = Awaited<ReturnType<Database["dedicated"]>>

interface Rows<Row> {
  readonly rows: Row[]
  readonly rowCount: number | null
}

/** A step's statement may take as long as the step may. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

export class StepTransaction {
  readonly #db: Database
  #client: Promise<Client> | undefined
  readonly #afterCommit: (() => void)[] = []
  #isOver = false

  constructor(db: Database) {
    this.#db = db
  }

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Rows<Row>> {
    if (typeof text !== "string") throw badRequest("tx.query takes the statement as a text, and its values as an array")
    const word = transactionWord(text)
    if (word) throw badRequest(`a step must not run ${word}: its transaction is committed together with its outcome`)
    return this.#send<Row>(text, values).catch((error: object) => {
      // A statement that was cancelled, or was in the way of another, is the step's own affair.
      throw isAwayByItself(error) ? fromDatabase(error) : error
    })
  }

  /** For the runner of the step only. */
  execute<Row>(text: string, values: readonly unknown[] = []): Promise<Rows<Row>> {
    return this.#send<Row>(text, values).catch((error: unknown) => {
      throw fromDatabase(error)
    })
  }

  /** Extended, so that the server refuses a second statement behind a semicolon: it might be a COMMIT. */
  async #send<Row>(text: string, values: readonly unknown[]): Promise<Rows<Row>> {
    const client = await this.#open()
    const how = { query_timeout: NO_TIMEOUT_MS, queryMode: "extended" as const, types: DRIVER_TYPES }
    const { rows, rowCount } = await client.query({ ...how, text, values: [...values] })
    return { rows: rows as Row[], rowCount }
  }

  /** For the engine's own statements, in the step's transaction. */
  async within<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#open()
    try {
      return await callersTransaction(db, client, work, (after) => this.#afterCommit.push(after))
    } catch (error) {
      throw fromDatabase(error)
    }
  }

  #open(): Promise<Client> {
    if (this.#isOver)
      return Promise.reject(new EngineError("bad-request", "the step is over, and its transaction with it"))
    this.#client ??= this.#begin()
    return this.#client
  }

  async #begin(): Promise<Client> {
    const client = await this.#db.dedicated()
    try {
      await client.query(BEGIN_TEXT)
    } catch (error) {
      client.release(error as Error)
      throw fromDatabase(error)
    }
    return client
  }

  /** The run's own lock: what advances an instance waits for it. False when the lease was lost before the lock was had. */
  hold(lease: HeldLease): Promise<boolean> {
    return lockRun((statement, named) => {
      const { text, values } = this.#db.inOrder(statement, named)
      return this.execute(text, values)
    }, lease)
  }

  /** What the work has written is undone when it fails, and the transaction goes on, with every lock it had before. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    await this.execute("savepoint before_steps")
    try {
      const result = await work()
      // Fails when a statement has failed and the step has kept that to itself: nothing more could be written then.
      await this.execute("release savepoint before_steps")
      return result
    } catch (error) {
      await this.execute("rollback to savepoint before_steps")
      throw error
    }
  }

  /** What would fail at the commit fails now, where it is still known whose fault it was. */
  async checkConstraints(): Promise<void> {
    await this.execute("set constraints all immediate")
  }

  /** Throws when what was written is not there. */
  async commit(): Promise<void> {
    const client = await this.#end()
    if (!client) return
    try {
      const { command } = await client.query("COMMIT")
      if (command !== "COMMIT") throw new EngineError("unavailable", "the step's transaction was rolled back")
      client.release()
    } catch (error) {
      client.release(error as Error)
      throw fromDatabase(error)
    }
    for (const work of this.#afterCommit) work()
  }

  /** Only once: a connection that was given back may be in use elsewhere. */
  #end(): Promise<Client> | undefined {
    const client = this.#isOver ? undefined : this.#client
    this.#isOver = true
    return client
  }

  /** Thrown away with its connection: nothing of it can be left. */
  async rollback(): Promise<void> {
    const client = await this.#end()?.catch(() => undefined)
    if (!client) return
    await client.query("ROLLBACK").then(
      () => client.release(),
      (error) => client.release(error),
    )
  }
}
