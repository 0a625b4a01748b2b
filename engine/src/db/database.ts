// The only importer of the driver: a pool of pipelining connections, transactions, and the errors a caller must tell apart.
import pg from "pg"
import { EngineError } from "../support/errors.ts"
import type { PoolCounts } from "../support/guard/guard-metrics.ts"
import { bindValues, type NamedValues } from "./bind-values.ts"
import { CommitWatch, type XactStatus } from "./commit-watch.ts"
import { describeStatement } from "./describe-statement.ts"
import { fromDatabase, isAwayByItself } from "./errors.ts"
import { BY_INDEX, WHOLE, WITHIN_A_MINUTE } from "./plan-settings.ts"
import { type Statement, statement } from "./statements.ts"
import { type TextStatement, toTextStatement } from "./text-statement.ts"
import type { Car, Row } from "./train.ts"
import { OwnTransaction, sendTransaction, type Transaction, type TransactionOptions } from "./transaction.ts"
import { parseTimestamp } from "./types.ts"
import { watchCommits } from "./unconfirmed-commit.ts"

export interface DatabaseOptions {
  readonly dsn: string
  /** The schema that is the tenant; statements are written for `millrace.` and qualified when they are sent first. */
  readonly schema: string
  readonly maxConnections: number
  readonly minConnections?: number
  readonly applicationName?: string
  /** To open a connection, or to wait for a free one. */
  readonly connectMs?: number
  /** How long to wait for the answer to a statement. */
  readonly statementMs?: number
  /** After which an idle connection is replaced; 0 or undefined: never. */
  readonly lifetimeMs?: number
}

const CONNECT_MS = 5_000
const SILENT_AFTER_MS = 15_000
/** Scripts make and drop partitions, and wait for other replicas that do. */
const SCRIPT_MS = 600_000

const readStatuses = statement(
  "db.readStatuses",
  `select pg_xact_status(xid::xid8) as status
    from unnest(@xids::text[]) with ordinality as asked (xid, place) order by place`,
)

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTimestamp)
types.setTypeParser(pg.types.builtins.JSON, (text: string) => text)
types.setTypeParser(pg.types.builtins.JSONB, (text: string) => text)

/** JSON columns arrive as text (`JSON.parse` them where they are read), times as epoch milliseconds, bigint as number. */
export class Database {
  readonly schema: string
  readonly #options: DatabaseOptions
  readonly #pool: pg.Pool
  #aside: Database | undefined
  #breaks = 0
  readonly #qualified = new Map<Statement, Statement>()
  readonly #inText = new Map<Statement, Promise<TextStatement>>()
  /** Transactions of callers, until they end. */
  readonly commits = new CommitWatch((xids) => this.#readStatuses(xids))

  constructor(options: DatabaseOptions) {
    this.schema = options.schema
    this.#options = options
    this.#pool = new pg.Pool({
      connectionString: options.dsn,
      max: options.maxConnections,
      min: options.minConnections ?? 0,
      application_name: options.applicationName ?? "millrace",
      connectionTimeoutMillis: options.connectMs ?? CONNECT_MS,
      idleTimeoutMillis: 60_000,
      maxLifetimeSeconds: (options.lifetimeMs ?? 0) / 1_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // A server that has gone silent answers nothing and refuses nothing: the connection is given up, as if it had broken.
      query_timeout: options.statementMs ?? SILENT_AFTER_MS,
      pipeline: true,
      types,
    } as pg.PoolConfig)
    // A connection that breaks while idle is replaced at its next use; without a listener it would end the process.
    this.#pool.on("error", () => {})
    // The pool listens to idle connections only. One that breaks in use fails its queries, and says so as an event as well.
    this.#pool.on("connect", (client) => {
      client.on("error", () => {
        this.#breaks += 1
      })
      watchCommits(client)
    })
  }

  /** How many connections have broken so far. After one of them another server may have taken over, with fewer rows than the last. */
  get breaks(): number {
    return this.#breaks
  }

  /** One statement in a transaction of its own. */
  async query<R extends Row>(statement: Statement, values: NamedValues = {}): Promise<R[]> {
    const car: Car = [this.qualify(statement), bindValues(statement, values)]
    const client = await this.#connect()
    return settle(client, queryRows<R>(client, car))
  }

  /** Implements Reader; the same as `query`. */
  read<R extends Row>(statement: Statement, values?: NamedValues): Promise<R[]> {
    return this.query(statement, values)
  }

  /** For questions about everything there is: they may take their time. */
  async ponder<R extends Row>(statement: Statement, values: NamedValues = {}): Promise<R[]> {
    const car: Car = [this.qualify(statement), bindValues(statement, values)]
    const client = await this.#connect()
    return settle(client, queryRows<R>(client, car, SCRIPT_MS))
  }

  /** Unprepared text, for migrations and tools. */
  async script(text: string): Promise<Row[]> {
    const client = await this.#connect()
    const query = client.query<Row>({ text: this.rewrite(text), query_timeout: SCRIPT_MS } as pg.QueryConfig)
    return settle(
      client,
      query.then((result) => result.rows),
    )
  }

  /**
   * BEGIN rides with the first reads, COMMIT with the buffered writes: a transaction costs one round trip to write and one more if it
   * reads first. Nothing is acknowledged before the commit has been answered.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const client = await this.#connect()
    return settle(
      client,
      OwnTransaction.run(client, (statement) => this.qualify(statement), work, options),
    )
  }

  /** A connection for one caller's long use, such as LISTEN or the migration lock. */
  dedicated(): Promise<pg.PoolClient> {
    return this.#connect()
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.ending) throw new EngineError("unavailable", "the engine in this process is stopped: start another")
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw fromDatabase(error)
    }
  }

  /**
   * One more connection, for what is read in the middle of a transaction but not as a part of it. The holder of a connection
   * must not wait for another one of the same pool: when all holders do, none gets one.
   */
  get aside(): Database {
    this.#aside ??= this.beside(1)
    return this.#aside
  }

  /** A pool of its own on the same database, for connections that are held long; the caller closes it. */
  beside(maxConnections: number): Database {
    return new Database({ ...this.#options, maxConnections, minConnections: 0 })
  }

  /** How its connections stand now. */
  get pool(): PoolCounts {
    const { totalCount: size, idleCount: idle, waitingCount: waiting } = this.#pool
    const { maxConnections: most, minConnections: least = 0 } = this.#options
    return { size, idle, waiting, most, least }
  }

  async #readStatuses(xids: readonly string[]): Promise<readonly XactStatus[]> {
    const rows = await this.query<{ status: XactStatus }>(readStatuses, { xids })
    return rows.map(({ status }) => status)
  }

  async close(): Promise<void> {
    this.commits.close()
    await Promise.all([this.#pool.end(), this.#aside?.close()])
  }

  rewrite(text: string): string {
    if (this.schema === "millrace") return text
    return text
      .replaceAll(/\bmillrace_views\b/g, pg.escapeIdentifier(`${this.schema}_views`))
      .replaceAll(/\bmillrace\./g, `${pg.escapeIdentifier(this.schema)}.`)
  }

  /** A statement as text and values in order, for a connection that was taken for long. */
  inOrder(statement: Statement, values: NamedValues): { readonly text: string; readonly values: readonly unknown[] } {
    return { text: this.qualify(statement).text, values: bindValues(statement, values) }
  }

  /** For a connection that is not ours. What it takes and gives is asked once, on one that is. */
  inText(statement: Statement): Promise<TextStatement> {
    let inText = this.#inText.get(statement)
    if (!inText) {
      inText = this.#describe(this.qualify(statement).text)
      this.#inText.set(statement, inText)
      inText.catch(() => this.#inText.delete(statement))
    }
    return inText
  }

  async #describe(text: string): Promise<TextStatement> {
    const client = await this.aside.dedicated()
    return toTextStatement(text, await settle(client, describeStatement(client, text)))
  }

  private qualify(statement: Statement): Statement {
    let qualified = this.#qualified.get(statement)
    if (!qualified) {
      qualified = { ...statement, text: this.rewrite(statement.text) }
      this.#qualified.set(statement, qualified)
    }
    return qualified
  }
}

const OPENINGS = {
  anew: [],
  "by index": [BY_INDEX],
  whole: [WHOLE],
  "within a minute": [WHOLE, WITHIN_A_MINUTE],
  plainly: [],
} as const

async function queryRows<R extends Row>(client: pg.PoolClient, car: Car, timeoutMs?: number): Promise<R[]> {
  const opening = car[0].planned ? OPENINGS[car[0].planned] : []
  const answers = await sendTransaction(client, [...opening, car], timeoutMs)
  return (answers.at(-1)?.rows ?? []) as R[]
}

/** Gives the connection back, or throws it away when the failure was the connection's own. */
async function settle<T>(client: pg.PoolClient, work: Promise<T>): Promise<T> {
  try {
    const result = await work
    client.release()
    return result
  } catch (error) {
    client.release(isConnectionFailure(error) ? (error as Error) : undefined)
    throw fromDatabase(error)
  }
}

/** A refusal of ours, or an error that the server has answered with, leaves the connection as good as it was; unless it says that. */
const isConnectionFailure = (error: unknown): boolean =>
  !(error instanceof EngineError) && (!("severity" in (error as object)) || isAwayByItself(error as object))
