// A transaction that a caller has begun and will end: the same reads and writes on the caller's own connection, which is given back
// with the settings it came with. Its end is watched from another connection: what has to follow the commit follows it.
import { EngineError } from "../support/errors.ts"
import { bindValues, type NamedValues } from "./bind-values.ts"
import { type CallersConnection, type CallersTx, connectionOf } from "./callers-connection.ts"
import type { Database } from "./database.ts"
import { hasSqlState, isContention, isPassing } from "./errors.ts"
import { INDEX_SETTINGS } from "./plan-settings.ts"
import type { Statement } from "./statements.ts"
import { OWN_XID, textValues } from "./text-statement.ts"
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
  /** Given when the caller will say that it has committed. Without it the transaction is watched. */
  afterCommit?: AfterCommit,
): Promise<T> {
  const connection = connectionOf(handle)
  return inTurn(connection.identity, () => run(new CallersTransaction(database, connection, afterCommit), work))
}

type AfterCommit = (work: () => void) => void
type OnRows = (rows: readonly Row[]) => void

interface Write {
  readonly statement: Statement
  readonly values: Values
  readonly onRows: OnRows | undefined
}

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

const NAMES = ["lock_timeout", ...Object.keys(INDEX_SETTINGS)]

/**
 * A caller that meets a key or an instance which another transaction holds would wait without end, with all the locks it has itself.
 * So the wait is limited, unless the caller's own limit is shorter. Plans are made as on our own connections. Both settings are put back,
 * because the rest of the transaction is the caller's.
 */
const CHANGE_SETTINGS = `select json_build_array(${NAMES.map((name) => `before.${name}`).join(", ")})::text,
    set_config('lock_timeout', case when before.lock_timeout::interval > interval '0'
      and before.lock_timeout::interval < $1::text::interval then before.lock_timeout else $1::text end, true),
    ${Object.entries(INDEX_SETTINGS)
      .map(([name, value]) => `set_config('${name}', '${value}', true)`)
      .join(", ")}
  from (select ${NAMES.map((name) => `current_setting('${name}') as ${name}`).join(", ")} offset 0) as before`
const RESTORE_SETTINGS = `select ${NAMES.map((name, at) => `set_config('${name}', $${at + 1}::text, true)`).join(", ")},
    ${OWN_XID}`

class CallersTransaction implements Transaction {
  readonly isOurs = false
  readonly lockWaitMs = LOCK_TIMEOUT_MS
  readonly #database: Database
  readonly #connection: CallersConnection
  readonly #tell: AfterCommit | undefined
  readonly #followUps: (() => void)[] = []
  readonly #writes: Write[] = []
  readonly #afterRollback: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()
  /** The caller's settings, while ours are in force. */
  #before: readonly string[] | undefined
  #isAborted = false
  /** Once something has been written. */
  #xid: string | undefined

  constructor(database: Database, connection: CallersConnection, afterCommit: AfterCommit | undefined) {
    this.#database = database
    this.#connection = connection
    this.#tell = afterCommit
  }

  async begin(): Promise<void> {
    if (!this.#connection.isBegun) await this.#send(this.#database.rewrite(EXPECT_BEGUN), [])
  }

  read<R extends Row>(statement: Statement, values: NamedValues = {}): Promise<R[]> {
    const answer = this.#last.then(() => this.#read(statement, bindValues(statement, values)))
    this.#last = answer
    return answer as Promise<R[]>
  }

  write<R extends Row>(statement: Statement, values: NamedValues, onRows?: (rows: readonly R[]) => void): void {
    this.#writes.push({ statement, values: bindValues(statement, values), onRows: onRows as OnRows | undefined })
  }

  afterCommit(work: () => void): void {
    this.#followUps.push(work)
  }

  afterRollback(work: () => void): void {
    this.#afterRollback.push(work)
  }

  async flush(): Promise<void> {
    const told: (() => void)[] = []
    for (const { statement, values, onRows } of this.#writes) {
      const rows = onRows ? await this.#read(statement, values) : await this.#write(statement, values)
      if (onRows) told.push(() => onRows(rows))
    }
    // What the writes return is there before anything else that follows the commit.
    this.#followUps.unshift(...told)
  }

  async #write(statement: Statement, values: Values): Promise<Row[]> {
    const { telling } = await this.#database.inText(statement)
    await this.#run(statement, telling, values)
    return []
  }

  async end(): Promise<void> {
    if (this.#before) this.#note(await this.#send(RESTORE_SETTINGS, this.#before))
    if (this.#followUps.length > 0) await this.#expectCommit()
  }

  async #expectCommit(): Promise<void> {
    if (this.#tell) return this.#tellAll(this.#tell)
    if (this.#xid === undefined) this.#note(await this.#send(`select ${OWN_XID}`, []))
    if (this.#xid !== undefined) this.#database.commits.watch(this.#xid, this.#followUps, this.#connection.onEnd)
  }

  #tellAll(tell: AfterCommit): void {
    for (const work of this.#followUps) tell(work)
  }

  /** The id of the transaction, which comes with the rows of a statement: no other is sent for it. */
  #note(rows: readonly object[]): void {
    this.#xid ??= lastOf(rows.at(-1))
  }

  /** An aborted transaction takes no statement, and its end undoes the setting. */
  async fail(): Promise<void> {
    this.#followUps.length = 0
    for (const work of this.#afterRollback) work()
    if (!this.#isAborted) await this.end().catch(() => {})
  }

  async #read(statement: Statement, values: Values): Promise<Row[]> {
    const { asking, telling, readRow } = await this.#database.inText(statement)
    const rows = await this.#run(statement, asking, values)
    if (asking !== telling) this.#note(rows)
    return rows.map((row) => readRow(firstOf(row)))
  }

  async #run({ planned }: Statement, text: string, values: Values): Promise<readonly object[]> {
    if (planned !== "plainly" && !this.#before) await this.#changeSettings()
    return this.#send(text, textValues(values), planned !== "anew")
  }

  async #changeSettings(): Promise<void> {
    const [row] = await this.#send(CHANGE_SETTINGS, [`${this.lockWaitMs}ms`])
    this.#before = JSON.parse(firstOf(row)) as string[]
  }

  async #send(text: string, values: readonly (string | null)[], isPrepared = true): Promise<readonly object[]> {
    try {
      return await this.#connection.ask(text, values, isPrepared)
    } catch (error) {
      this.#isAborted = true
      throw error
    }
  }
}

/** By place: some libraries rename columns. */
const firstOf = (row: object | undefined): string => Object.values(row ?? {})[0] as string
const lastOf = (row: object | undefined): string | undefined =>
  (Object.values(row ?? {}).at(-1) ?? undefined) as string | undefined
