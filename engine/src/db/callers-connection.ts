// The connection a caller has begun a transaction on, whichever library it came from: known by its shape, asked in plain text.
import { createHash } from "node:crypto"
import { badRequest } from "../support/errors.ts"
import type { OnEnd } from "./commit-watch.ts"

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

/** A prepared statement is parsed and planned once for a connection, where the connection is known to keep it. */
type Ask = (text: string, values: readonly (string | null)[], isPrepared: boolean) => Promise<readonly object[]>

export interface CallersConnection {
  readonly ask: Ask
  /** Known to be in a transaction; else the server is asked. */
  readonly isBegun: boolean
  /** One connection is one object, however it was wrapped. */
  readonly identity: object
  /** Only where the driver lets us see the end of its transaction. */
  readonly onEnd?: OnEnd
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
  readonly query?: (query: string | PgQuery, values?: readonly (string | null)[]) => Promise<PgAnswer>
  /** The id of the server process, as the server sent it when the connection was made. */
  readonly processID?: number | null
  readonly totalCount?: number
  readonly getTransactionStatus?: () => string | null
  readonly connection?: PgWire
  readonly unsafe?: (text: string, values: readonly (string | null)[], options: object) => Promise<object[]>
  readonly begin?: unknown
  readonly session?: { readonly client?: unknown }
  readonly rollback?: unknown
  readonly executeQuery?: (query: object) => Promise<{ rows: object[] }>
  readonly isTransaction?: boolean
  readonly withoutPlugins?: () => Shape
  readonly $queryRawUnsafe?: (text: string, ...values: readonly (string | null)[]) => Promise<object[]>
  readonly $connect?: unknown
}

interface PgQuery {
  readonly name: string
  readonly text: string
  readonly values: readonly (string | null)[]
}
/** What a client of `pg` reads from the wire; the client of libpq has none. */
interface PgWire {
  on?(event: "readyForQuery" | "commandComplete", listener: (message: PgMessage) => void): unknown
  removeListener?(event: "readyForQuery", listener: (message: PgMessage) => void): unknown
}
interface PgMessage {
  readonly status?: string
  /** The tag of a command that has ended. */
  readonly text?: string
}
type PgAnswer = { readonly rows: object[] } | object[]

const isFunction = (value: unknown): boolean => typeof value === "function"

function nodePostgres(client: Shape): CallersConnection {
  if (typeof client.totalCount === "number") throw pool("a pool")
  const ask: Ask = async (text, values, isPrepared) =>
    isPrepared && (await isDirect(client))
      ? rowsOf(await client.query!({ name: nameOf(text), text, values: [...values] }))
      : rowsOf(await client.query!(text, [...values]))
  const isBegun = client.getTransactionStatus?.() === "T"
  return { ask, isBegun, identity: client, ...endOf(client.connection) }
}

/** The server says after each statement whether the connection is in a transaction. */
function endOf(wire: PgWire | undefined): Pick<CallersConnection, "onEnd"> {
  if (!isFunction(wire?.on) || !isFunction(wire?.removeListener)) return {}
  const onEnd: OnEnd = (look) => {
    const listener = ({ status }: PgMessage) => {
      if (status !== IDLE) return
      wire?.removeListener?.("readyForQuery", listener)
      look()
    }
    wire?.on?.("readyForQuery", listener)
  }
  return { onEnd }
}

const IDLE = "I"

const rowsOf = (answer: PgAnswer): readonly object[] => (Array.isArray(answer) ? answer : answer.rows)

const direct = new WeakMap<object, boolean>()

/**
 * Asked once for each connection: a process of PostgreSQL that has the number which the connection was told stays with it for life, and
 * with it what is prepared there. A pooler tells a number of its own, may change the process with each transaction, and may do so for one
 * of its databases or users and not for another: neither its address nor ours says which.
 */
async function isDirect(client: Shape): Promise<boolean> {
  if (!client.processID) return false
  let isKnown = direct.get(client)
  if (isKnown === undefined) {
    const [row] = rowsOf(await client.query!("select pg_backend_pid()"))
    isKnown = Number(Object.values(row ?? {})[0]) === client.processID
    direct.set(client, isKnown)
    if (isKnown) heedForgetting(client)
  }
  return isKnown
}

const FORGETS = /^(?:DISCARD|DEALLOCATE) ALL$/

/** A pool may clean a connection before it is used again. What is prepared is gone then, and `pg` does not know: we prepare no more there. */
function heedForgetting(client: Shape): void {
  client.connection?.on?.("commandComplete", ({ text = "" }) => {
    if (FORGETS.test(text)) direct.set(client, false)
  })
}

const names = new Map<string, string>()

/** One for each text: two engines on one connection may have different schemas. The texts are those of our statements. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = `millrace.${createHash("sha256").update(text).digest("base64url").slice(0, 16)}`
    names.set(text, name)
  }
  return name
}

function postgresJs(sql: Shape): CallersConnection {
  if (sql.begin) throw pool("the `sql` of the pool")
  // Saves it the round trip in which it asks for the types; where the caller has turned that off, it stays off.
  const ask: Ask = async (text, values, prepare) => sql.unsafe!(text, [...values], { prepare })
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
  // In a transaction it has no `$connect`; since version 7 it has `$transaction` there too, for savepoints.
  if (tx.$connect) throw pool("the Prisma client")
  return { ask: async (text, values) => tx.$queryRawUnsafe!(text, ...values), isBegun: true, identity: tx }
}

const pool = (what: string) =>
  badRequest(`tx is ${what}, which is no transaction: pass on what the library hands to your transaction's function`)

const unknown = (tx: unknown) =>
  badRequest(
    `tx is none of the known transactions: pass on a client of pg, the sql of postgres.js' begin, the tx of Drizzle or Prisma or the trx of Kysely, not ${tx === null ? "null" : `this ${typeof tx}`}`,
  )
