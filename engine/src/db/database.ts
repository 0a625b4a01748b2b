// The only importer of the driver: a pool of pipelining connections, transactions, and the errors a caller must tell apart.
import pg from "pg"
import { EngineError } from "../support/errors.ts"
import { fromDatabase } from "./errors.ts"
import type { Statement } from "./statements.ts"
import { type Row, sendTrain, type Values } from "./train.ts"
import { BY_INDEX, Transaction } from "./transaction.ts"
import { parseTimestamp } from "./types.ts"

export interface DatabaseOptions {
  readonly dsn: string
  /** The schema that is the tenant; statements are written for `millrace.` and qualified when they are sent first. */
  readonly schema: string
  readonly maxConnections: number
  readonly minConnections?: number
  readonly applicationName?: string
}

const SILENT_AFTER_MS = 15_000
/** Scripts make and drop partitions, and wait for other replicas that do. */
const SCRIPT_MS = 600_000

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
  readonly #qualified = new Map<Statement, Statement>()

  constructor(options: DatabaseOptions) {
    this.schema = options.schema
    this.#options = options
    this.#pool = new pg.Pool({
      connectionString: options.dsn,
      max: options.maxConnections,
      min: options.minConnections ?? 0,
      application_name: options.applicationName ?? "millrace",
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // A server that has gone silent answers nothing and refuses nothing: the connection is given up, as if it had broken.
      query_timeout: SILENT_AFTER_MS,
      pipeline: true,
      types,
    } as pg.PoolConfig)
    // A connection that breaks while idle is replaced at its next use; without a listener it would end the process.
    this.#pool.on("error", () => {})
    // The pool listens to idle connections only. One that breaks in use fails its queries, and says so as an event as well.
    this.#pool.on("connect", (client) => client.on("error", () => {}))
  }

  /** One statement in a transaction of its own. */
  async query<R extends Row>(statement: Statement, values: Values): Promise<R[]> {
    const client = await this.#connect()
    return settle(client, queryRows<R>(client, this.qualify(statement), values))
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
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    return settle(
      client,
      Transaction.run(client, (statement) => this.qualify(statement), work),
    )
  }

  /** A connection for one caller's long use, such as LISTEN or the migration lock. */
  dedicated(): Promise<pg.PoolClient> {
    return this.#connect()
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw fromDatabase(error)
    }
  }

  /**
   * One more connection, for what is read in the middle of a transaction but not as a part of it. Whoever holds a connection
   * must not wait for another of the same pool: when all holders do, none gets one.
   */
  get aside(): Database {
    this.#aside ??= new Database({ ...this.#options, maxConnections: 1, minConnections: 0 })
    return this.#aside
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#aside?.close()])
  }

  rewrite(text: string): string {
    return this.schema === "millrace" ? text : text.replaceAll(/\bmillrace\./g, `${pg.escapeIdentifier(this.schema)}.`)
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

async function queryRows<R extends Row>(client: pg.PoolClient, statement: Statement, values: Values): Promise<R[]> {
  const opening = statement.planned === "by index" ? [BY_INDEX] : []
  const answers = await sendTrain(client, [...opening, [statement, values]])
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

/** A refusal of ours, or an error that the server has answered with, leaves the connection as good as it was. */
function isConnectionFailure(error: unknown): boolean {
  if (error instanceof EngineError) return false
  const code = String((error as { code?: unknown }).code ?? "")
  return !/^[0-9A-Z]{5}$/.test(code) || code.startsWith("57P") || code.startsWith("08")
}
