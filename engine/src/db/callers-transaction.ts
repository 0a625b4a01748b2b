// A transaction that a caller has begun and will end: the same reads and writes on the caller's own connection, which is given back
// with the settings it came with. Nothing is known of its commit, so nothing waits for it: the pulse finds within a second what it brought.
import { EngineError } from "../support/errors.ts"
import { bindValues, type NamedValues } from "./bind-values.ts"
import { type CallersConnection, type CallersTx, connectionOf } from "./callers-connection.ts"
import type { Database } from "./database.ts"
import { hasSqlState, isContention, isPassing } from "./errors.ts"
import type { Statement } from "./statements.ts"
import { textValues } from "./text-statement.ts"
import type { Row, Values } from "./train.ts"
import { LOCK_TIMEOUT_MS, type Transaction } from "./transaction.ts"

/**
 * Runs the work on the caller's connection; its writes are there when this returns. A refusal of ours leaves the transaction as it was,
 * a statement that fails aborts it as any of the caller's own would.
 */
export async function callersTransaction<T>(
  database: Database,
  handle: CallersTx,
  work: (tx: Transaction) => Promise<T>,
  /** Of a caller that will say when it has committed. */
  afterCommit: AfterCommit = () => {},
): Promise<T> {
  const connection = connectionOf(handle)
  return inTurn(connection.identity, () => run(new CallersTransaction(database, connection, afterCommit), work))
}

type AfterCommit = (work: () => void) => void

const turns = new WeakMap<object, Promise<unknown>>()

/** One operation at a time on a connection: two would plan from the same state, and give back each other's settings. */
function inTurn<T>(connection: object, run: () => Promise<T>): Promise<T> {
  const turn = (turns.get(connection) ?? Promise.resolve()).then(run, run)
  turns.set(
    connection,
    turn.catch(() => {}),
  )
  return turn
}

async function run<T>(tx: CallersTransaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    await tx.begin()
    const result = await work(tx)
    await tx.flush()
    await tx.end()
    return result
  } catch (error) {
    await tx.fail()
    throw told(error)
  }
}

/** Errors of the caller's connection stay as they are, but for those that a caller can act on. */
function told(cause: unknown): unknown {
  if (hasSqlState(cause, NOT_BEGUN)) {
    const message = "tx is a connection without a transaction: send BEGIN first, or pass on what the library hands out"
    return new EngineError("bad-request", message, { cause })
  }
  if (!isContention(cause) && !isPassing(cause)) return cause
  const why = isContention(cause) ? "another transaction is in the way" : "the database has not done a statement"
  const message = `${why}; roll this one back and run it again`
  return new EngineError("unavailable", message, { retryAfterSeconds: 1, cause })
}

const NOT_BEGUN = "25P01"
/** Fails outside a transaction, and takes nothing that the work would not take anyway. */
const EXPECT_BEGUN = "lock table millrace.instances in access share mode"

/**
 * A caller that meets a key or an instance which another transaction holds would wait without end, with all the locks it has itself.
 * So the wait is limited, unless the caller's own limit is shorter; and put back, because the rest of the transaction is the caller's.
 */
const LIMIT_LOCK_WAIT = `select before, set_config('lock_timeout', case
    when before::interval > interval '0' and before::interval < $1::text::interval then before else $1::text end, true)
  from (select current_setting('lock_timeout') as before offset 0) as setting`
const RESTORE_LOCK_WAIT = "select set_config('lock_timeout', $1::text, true)"

class CallersTransaction implements Transaction {
  readonly isOurs = false
  readonly lockWaitMs = LOCK_TIMEOUT_MS
  readonly #database: Database
  readonly #connection: CallersConnection
  readonly afterCommit: AfterCommit
  readonly #writes: (readonly [Statement, Values])[] = []
  readonly #afterRollback: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()
  #lockTimeout: string | undefined
  #isAborted = false

  constructor(database: Database, connection: CallersConnection, afterCommit: AfterCommit) {
    this.#database = database
    this.#connection = connection
    this.afterCommit = afterCommit
  }

  async begin(): Promise<void> {
    if (!this.#connection.isBegun) await this.#send(this.#database.rewrite(EXPECT_BEGUN), [])
    const [row] = await this.#send(LIMIT_LOCK_WAIT, [`${this.lockWaitMs}ms`])
    this.#lockTimeout = firstOf(row)
  }

  read<R extends Row>(statement: Statement, values: NamedValues = {}): Promise<R[]> {
    const answer = this.#last.then(() => this.#read(statement, bindValues(statement, values)))
    this.#last = answer
    return answer as Promise<R[]>
  }

  /** Its rows are dropped: they are for after the commit, which is not seen here. */
  write(statement: Statement, values: NamedValues): void {
    this.#writes.push([statement, bindValues(statement, values)])
  }

  afterRollback(work: () => void): void {
    this.#afterRollback.push(work)
  }

  async flush(): Promise<void> {
    for (const [statement, values] of this.#writes) {
      const { telling } = await this.#database.inText(statement)
      await this.#send(telling, textValues(values))
    }
  }

  async end(): Promise<void> {
    await this.#send(RESTORE_LOCK_WAIT, [this.#lockTimeout ?? "0"])
  }

  /** An aborted transaction takes no statement, and its end undoes the setting. */
  async fail(): Promise<void> {
    for (const work of this.#afterRollback) work()
    if (this.#lockTimeout !== undefined && !this.#isAborted) await this.end().catch(() => {})
  }

  async #read(statement: Statement, values: Values): Promise<Row[]> {
    const { asking, readRow } = await this.#database.inText(statement)
    const rows = await this.#send(asking, textValues(values))
    return rows.map((row) => readRow(firstOf(row)))
  }

  async #send(text: string, values: readonly (string | null)[]): Promise<readonly object[]> {
    try {
      return await this.#connection.ask(text, values)
    } catch (error) {
      this.#isAborted = true
      throw error
    }
  }
}

/** By place: some libraries rename columns. */
const firstOf = (row: object | undefined): string => Object.values(row ?? {})[0] as string
