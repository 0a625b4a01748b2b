// Callers with a transaction of their own, one for each library that people use; each opened with settings that change what it reads.
import { sql } from "drizzle-orm"
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres"
import { drizzle as drizzleOnPostgresJs } from "drizzle-orm/postgres-js"
import { CamelCasePlugin, CompiledQuery, Kysely, ParseJSONResultsPlugin, PostgresDialect } from "kysely"
import pg from "pg"
import postgres from "postgres"
import type { CallersTx } from "../db/callers-connection.ts"

/** A statement of the caller's own, in the same transaction. */
export type Run = (text: string) => Promise<readonly object[]>

export interface Caller {
  /** Commits what the work did, or rolls back when it throws. */
  transaction<T>(work: (tx: CallersTx, run: Run) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Custom types of a caller: only text arrives as it would by default. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => (text: string) =>
    oid === pg.types.builtins.TEXT ? text : `<${text}>`) as pg.CustomTypesConfig["getTypeParser"],
}

function onPg(dsn: string): Caller {
  const pool = new pg.Pool({ connectionString: dsn, max: 4, types })
  return {
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query("begin")
        const result = await work(client, async (text) => (await client.query(text)).rows)
        await client.query("commit")
        return result
      } catch (error) {
        await client.query("rollback")
        throw error
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

const shouting = { column: { from: (name: string) => name.toUpperCase() }, undefined: null }

function onPostgresJs(dsn: string): Caller {
  const sql = postgres(dsn, { max: 4, transform: shouting, types: { bigint: postgres.BigInt }, onnotice: () => {} })
  return {
    transaction: (work) => sql.begin((tx) => work(tx, (text) => tx.unsafe(text))) as Promise<never>,
    close: () => sql.end(),
  }
}

function onDrizzlePg(dsn: string): Caller {
  const pool = new pg.Pool({ connectionString: dsn, max: 4 })
  const db = drizzleOnPg(pool)
  return {
    transaction: (work) => db.transaction((tx) => work(tx, async (text) => (await tx.execute(sql.raw(text))).rows)),
    close: () => pool.end(),
  }
}

function onDrizzlePostgresJs(dsn: string): Caller {
  const client = postgres(dsn, { max: 4, onnotice: () => {} })
  const db = drizzleOnPostgresJs(client)
  return {
    transaction: (work) => db.transaction((tx) => work(tx, async (text) => [...(await tx.execute(sql.raw(text)))])),
    close: () => client.end(),
  }
}

function onKysely(dsn: string): Caller {
  const dialect = new PostgresDialect({ pool: new pg.Pool({ connectionString: dsn, max: 4 }) })
  const db = new Kysely<object>({ dialect, plugins: [new CamelCasePlugin(), new ParseJSONResultsPlugin()] })
  return {
    transaction: (work) =>
      db
        .transaction()
        .execute((trx) => work(trx, async (text) => (await trx.executeQuery<object>(CompiledQuery.raw(text))).rows)),
    close: () => db.destroy(),
  }
}

/** Prisma by its shape, as version 7 has it: statements as it takes them, rows as it gives them. */
function onPrismaShape(dsn: string): Caller {
  const caller = onPg(dsn)
  return {
    ...caller,
    transaction: (work) =>
      caller.transaction((tx, run) => {
        const client = tx as pg.PoolClient
        const $queryRawUnsafe = async (text: string, ...values: unknown[]) => (await client.query(text, values)).rows
        const $transaction = () => Promise.reject(new Error("a savepoint, which is not asked for"))
        return work({ $queryRawUnsafe, $transaction } as CallersTx, run)
      }),
  }
}

export const callers: Readonly<Record<string, (dsn: string) => Caller>> = {
  pg: onPg,
  "postgres.js": onPostgresJs,
  "Drizzle on pg": onDrizzlePg,
  "Drizzle on postgres.js": onDrizzlePostgresJs,
  Kysely: onKysely,
  "the shape of Prisma": onPrismaShape,
}
