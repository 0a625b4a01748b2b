// Applies the numbered SQL files in order, each in a transaction of its own, under a lock; an applied file never changes.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type pg from "pg"
import type { Database } from "./database.ts"
import { fromDatabase } from "./errors.ts"
import { restoreViews } from "./restore-views.ts"
import { BEGIN_TEXT } from "./transaction.ts"

export interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
  readonly checksum: string
}

export class MigrationError extends Error {
  override name = "MigrationError"
}

const PATIENCE_MS = 24 * 3_600_000
const MINIMUM_SERVER = 150_000
// Migrations run before there is any table to lease a leader in.
const LOCK = 4_711_015

export function readMigrations(folder = new URL("../../migrations/", import.meta.url)): Migration[] {
  const path = fileURLToPath(folder)
  return readdirSync(path)
    .filter((file) => /^\d{4}_.+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(`${path}/${file}`, "utf8")
      const checksum = createHash("sha256").update(text).digest("hex")
      return { version: Number(file.slice(0, 4)), name: file, text, checksum }
    })
}

/** Returns the names of the files that were applied now. `tellRestored` gets the views that were gone and were made again. */
export async function migrate(
  db: Database,
  migrations = readMigrations(),
  tellRestored: (views: readonly string[]) => void = () => {},
): Promise<string[]> {
  const connection = await db.dedicated()
  // Waits for another replica that migrates, and for a long statement, as long as it takes.
  const run = (text: string) =>
    connection.query({ text: db.rewrite(text), query_timeout: PATIENCE_MS } as pg.QueryConfig)
  let broken: Error | undefined
  try {
    await expectServer(run)
    const { pending, restored } = await locked(run, () => prepare(run, db.schema, migrations))
    if (restored.length > 0) tellRestored(restored)
    const done: string[] = []
    for (const migration of pending) if (await locked(run, () => applyOne(run, migration))) done.push(migration.name)
    return done
  } catch (error) {
    broken = error as Error
    throw fromDatabase(error)
  } finally {
    connection.release(broken)
  }
}

type Run = (text: string) => Promise<{ rows: Record<string, unknown>[] }>

/** A transaction under the lock. Not a session's: a pooler may end the transaction on one connection, and unlock on another. */
async function locked<T>(run: Run, work: () => Promise<T>): Promise<T> {
  await run(BEGIN_TEXT)
  try {
    await run(`select pg_advisory_xact_lock(${LOCK})`)
    const result = await work()
    await run("commit")
    return result
  } catch (error) {
    await run("rollback").catch(() => {})
    throw error
  }
}

/** What is still to be applied, and the views that were made again. */
async function prepare(run: Run, schema: string, migrations: readonly Migration[]) {
  await run(`create schema if not exists ${quote(schema)}`)
  await run(`create table if not exists millrace.migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  const { rows } = await run("select version, name, checksum from millrace.migrations order by version")
  const applied = new Map(rows.map((row) => [row.version as number, row]))
  expectKnown(rows, migrations)
  const pending = migrations.filter((migration) => !isApplied(migration, applied))
  const restored = await restoreViews(
    run,
    migrations.filter(({ version }) => applied.has(version)),
  )
  return { pending, restored }
}

/** False when another replica has done it meanwhile. */
async function applyOne(run: Run, { version, name, text, checksum }: Migration): Promise<boolean> {
  const { rows } = await run(`select from millrace.migrations where version = ${version}`)
  if (rows.length > 0) return false
  await run(text)
  await run(`insert into millrace.migrations (version, name, checksum) values (${version}, '${name}', '${checksum}')`)
  return true
}

function expectKnown(rows: readonly Record<string, unknown>[], migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0
  const newer = rows.find((row) => (row.version as number) > newest)
  if (newer) {
    throw new MigrationError(
      `the database was migrated by a newer Millrace (${newer.name}); run that version or a later one`,
    )
  }
}

function isApplied(migration: Migration, applied: ReadonlyMap<number, Record<string, unknown>>): boolean {
  const row = applied.get(migration.version)
  if (row && row.checksum !== migration.checksum) {
    throw new MigrationError(
      `${migration.name} was applied with another content: migrations never change, add a new file instead`,
    )
  }
  return row !== undefined
}

async function expectServer(run: Run): Promise<void> {
  const { rows } = await run(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  )
  const server = rows[0] as { number: number; version: string }
  if (server.number < MINIMUM_SERVER) {
    throw new MigrationError(`PostgreSQL ${server.version} is too old: Millrace needs 15 or newer`)
  }
}

const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`
