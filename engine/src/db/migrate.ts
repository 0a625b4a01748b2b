// Applies the numbered SQL files in order, each in a transaction of its own, under a lock; an applied file never changes.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type pg from "pg"
import type { Database } from "./database.ts"
import { fromDatabase } from "./errors.ts"
import { restoreViews } from "./restore-views.ts"

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
// The one session lock of the engine: migrations run before there is any table to lease a leader in.
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

/** Returns the names of the files that were applied now. */
export async function migrate(db: Database, migrations = readMigrations()): Promise<string[]> {
  const connection = await db.dedicated()
  // Waits for another replica that migrates, and for a long statement, as long as it takes.
  const run = (text: string) =>
    connection.query({ text: db.rewrite(text), query_timeout: PATIENCE_MS } as pg.QueryConfig)
  let broken: Error | undefined
  try {
    await expectServer(run)
    await run(`select pg_advisory_lock(${LOCK})`)
    await run(`create schema if not exists ${quote(db.schema)}`)
    await run(`create table if not exists millrace.migrations (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
    return await applyPending(run, migrations)
  } catch (error) {
    broken = error as Error
    throw fromDatabase(error)
  } finally {
    if (!broken) await run(`select pg_advisory_unlock(${LOCK})`)
    // A broken connection is thrown away, and its lock with it.
    connection.release(broken)
  }
}

type Run = (text: string) => Promise<{ rows: Record<string, unknown>[] }>

async function applyPending(run: Run, migrations: readonly Migration[]): Promise<string[]> {
  const { rows } = await run("select version, name, checksum from millrace.migrations order by version")
  const applied = new Map(rows.map((row) => [row.version as number, row]))
  expectKnown(rows, migrations)
  const pending = migrations.filter((migration) => !isApplied(migration, applied))
  await restoreViews(
    run,
    migrations.filter(({ version }) => applied.has(version)),
  )
  for (const migration of pending) await applyOne(run, migration)
  return pending.map(({ name }) => name)
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

async function applyOne(run: Run, { version, name, text, checksum }: Migration): Promise<void> {
  await run("begin")
  try {
    await run(text)
    await run(`insert into millrace.migrations (version, name, checksum) values (${version}, '${name}', '${checksum}')`)
    await run("commit")
  } catch (error) {
    await run("rollback").catch(() => {})
    throw error
  }
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
