// The connection a caller has begun a transaction on, whichever library it came from: known by its shape, asked in plain text.
import { badRequest } from "../support/errors.ts"

type AnyFunction = (...args: never[]) => unknown

/** What `tx` may be: the transaction as the library hands it out, never its pool. */
export type CallersTx =
  /** `pg`: the client that BEGIN was sent on. */
  | { readonly query: AnyFunction }
  /** `postgres`: the `sql` of `sql.begin(async (sql) => …)`. */
  | { readonly unsafe: AnyFunction; readonly savepoint: AnyFunction }
  /** Drizzle, on either of them: the `tx` of `db.transaction(async (tx) => …)`. */
  | { readonly rollback: AnyFunction; readonly transaction: AnyFunction }
  /** Kysely: the `trx` of `db.transaction().execute(async (trx) => …)`. */
  | { readonly executeQuery: AnyFunction; readonly isTransaction: true }
  /** Prisma: the `tx` of `prisma.$transaction(async (tx) => …)`. */
  | { readonly $queryRawUnsafe: AnyFunction }

type Ask = (text: string, values: readonly (string | null)[]) => Promise<readonly object[]>

export interface CallersConnection {
  readonly ask: Ask
  /** Known to be in a transaction; else the server is asked. */
  readonly isBegun: boolean
  /** One connection is one object, however it was wrapped. */
  readonly identity: object
}

export function connectionOf(tx: unknown): CallersConnection {
  const shape = (typeof tx === "object" || typeof tx === "function" ? tx : undefined) as Shape | undefined
  if (!shape) throw unknown(tx)
  if (isFunction(shape.executeQuery)) return kysely(shape)
  if (isFunction(shape.rollback) && shape.session?.client) return connectionOf(shape.session.client)
  if (isFunction(shape.unsafe)) return postgresJs(shape)
  if (isFunction(shape.$queryRawUnsafe)) return prisma(shape)
  if (isFunction(shape.query)) return nodePostgres(shape)
  throw shape.session ? pool("Drizzle's database") : unknown(tx)
}

/** The properties by which the libraries are told apart. */
interface Shape {
  readonly query?: (text: string, values: readonly (string | null)[]) => Promise<{ rows: object[] } | object[]>
  readonly totalCount?: number
  readonly getTransactionStatus?: () => string | null
  readonly unsafe?: (text: string, values: readonly (string | null)[], options: object) => Promise<object[]>
  readonly begin?: unknown
  readonly session?: { readonly client?: unknown }
  readonly rollback?: unknown
  readonly executeQuery?: (query: object) => Promise<{ rows: object[] }>
  readonly isTransaction?: boolean
  readonly withoutPlugins?: () => Shape
  readonly $queryRawUnsafe?: (text: string, ...values: readonly (string | null)[]) => Promise<object[]>
  readonly $transaction?: unknown
}

const isFunction = (value: unknown): boolean => typeof value === "function"

function nodePostgres(client: Shape): CallersConnection {
  if (typeof client.totalCount === "number") throw pool("a pool")
  const ask: Ask = async (text, values) => {
    const answer = await client.query!(text, [...values])
    return Array.isArray(answer) ? answer : answer.rows
  }
  return { ask, isBegun: client.getTransactionStatus?.() === "T", identity: client }
}

function postgresJs(sql: Shape): CallersConnection {
  if (sql.begin) throw pool("the `sql` of the pool")
  // Saves it the round trip in which it asks for the types; where the caller has turned that off, it stays off.
  const ask: Ask = async (text, values) => sql.unsafe!(text, [...values], { prepare: true })
  // A reserved connection looks alike, and may be in a transaction or not.
  return { ask, isBegun: "savepoint" in sql, identity: sql }
}

function kysely(trx: Shape): CallersConnection {
  if (!trx.isTransaction) throw pool("the Kysely instance")
  // Plugins rename columns and parse what looks like JSON.
  const plain = trx.withoutPlugins?.() ?? trx
  const ask: Ask = async (text, values) => {
    const query = { kind: "RawNode", sqlFragments: [text], parameters: [] }
    const { rows } = await plain.executeQuery!({
      sql: text,
      parameters: values,
      query,
      queryId: { queryId: "millrace" },
    })
    return rows
  }
  return { ask, isBegun: true, identity: trx }
}

function prisma(tx: Shape): CallersConnection {
  if (tx.$transaction) throw pool("the Prisma client")
  return { ask: async (text, values) => tx.$queryRawUnsafe!(text, ...values), isBegun: true, identity: tx }
}

const pool = (what: string) =>
  badRequest(`tx is ${what}, which is no transaction: pass on what the library hands to your transaction's function`)

const unknown = (tx: unknown) =>
  badRequest(
    `tx is ${tx === null ? "null" : `a ${typeof tx}`} that is none of the known transactions: a client of pg, the sql of postgres.js' begin, the tx of Drizzle or Prisma, the trx of Kysely`,
  )
