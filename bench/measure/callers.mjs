// Callers with a transaction of their own, one for each library: `begin(work)` commits what the work did.
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres"
import { drizzle as drizzleOnPostgresJs } from "drizzle-orm/postgres-js"
import { Kysely, PostgresDialect } from "kysely"
import pg from "pg"
import postgres from "postgres"

const poolOf = (dsn) => new pg.Pool({ connectionString: dsn, max: 2 })

function onPg(dsn) {
  const pool = poolOf(dsn)
  return {
    async begin(work) {
      const client = await pool.connect()
      try {
        await client.query("begin")
        const result = await work(client)
        await client.query("commit")
        return result
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

function onPostgresJs(dsn) {
  const sql = postgres(dsn, { max: 2, onnotice: () => {} })
  return { begin: (work) => sql.begin(work), close: () => sql.end() }
}

function onDrizzlePg(dsn) {
  const pool = poolOf(dsn)
  const db = drizzleOnPg(pool)
  return { begin: (work) => db.transaction(work), close: () => pool.end() }
}

function onDrizzlePostgresJs(dsn) {
  const sql = postgres(dsn, { max: 2, onnotice: () => {} })
  const db = drizzleOnPostgresJs(sql)
  return { begin: (work) => db.transaction(work), close: () => sql.end() }
}

function onKysely(dsn) {
  const db = new Kysely({ dialect: new PostgresDialect({ pool: poolOf(dsn) }) })
  return { begin: (work) => db.transaction().execute(work), close: () => db.destroy() }
}

export const callers = {
  pg: onPg,
  "postgres.js": onPostgresJs,
  "Drizzle on pg": onDrizzlePg,
  "Drizzle on postgres.js": onDrizzlePostgresJs,
  Kysely: onKysely,
}
