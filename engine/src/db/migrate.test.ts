// Migrations on a real, empty database: once, in order, all of a file or nothing of it.
import { createHash } from "node:crypto"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { type Migration, MigrationError, migrate, readMigrations } from "./migrate.ts"

let database: { dsn: string; drop(): Promise<void> }
let open: Database[]

beforeEach(async () => {
  database = await createTestDatabase({ empty: true })
  open = []
})
afterEach(async () => {
  await Promise.all(open.map((db) => db.close()))
  await database.drop()
})

function connect(schema = "millrace"): Database {
  const db = new Database({ dsn: database.dsn, schema, maxConnections: 2 })
  open.push(db)
  return db
}

const file = (version: number, text: string): Migration => ({
  version,
  name: `${String(version).padStart(4, "0")}_test.sql`,
  text,
  checksum: createHash("sha256").update(text).digest("hex"),
})

const first = file(1, "create table millrace.a (n integer); insert into millrace.a values (1);")
const second = file(2, "create table millrace.b (n integer); insert into millrace.b select n from millrace.a;")
const tables = async (db: Database) =>
  (await db.script("select tablename as name from pg_tables where schemaname = 'millrace' order by 1")).map(
    (r) => r.name,
  )

test("C-09, D-46: applies what is missing, in order, and nothing the second time", async () => {
  const db = connect()
  expect(await migrate(db, [first])).toEqual(["0001_test.sql"])
  expect(await migrate(db, [first, second])).toEqual(["0002_test.sql"])
  expect(await migrate(db, [first, second])).toEqual([])
  expect(await db.script("select n from millrace.b")).toEqual([{ n: 1 }])
})

test("C-09: replicas that start together migrate once", async () => {
  const replicas = Array.from({ length: 4 }, () => connect())
  const applied = await Promise.all(replicas.map((db) => migrate(db, [first, second])))
  expect(applied.flat().sort()).toEqual(["0001_test.sql", "0002_test.sql"])
  expect(await connect().script("select n from millrace.a")).toEqual([{ n: 1 }])
})

test("C-09: a file that fails in the middle leaves nothing of itself, and what came before stays", async () => {
  const db = connect()
  const broken = file(2, "create table millrace.b (n integer); select 1 / 0;")
  await expect(migrate(db, [first, broken])).rejects.toMatchObject({ code: "22012" })
  expect(await tables(db)).toEqual(["a", "migrations"])
  expect(await migrate(db, [first, second])).toEqual(["0002_test.sql"])
})

test("C-09: a file that was applied but could not be noted down leaves nothing either", async () => {
  const db = connect()
  const unnoted = file(
    2,
    "create table millrace.b (n integer); alter table millrace.migrations add check (version < 2)",
  )
  await expect(migrate(db, [first, unnoted])).rejects.toMatchObject({ code: "23514" })
  expect(await tables(db)).toEqual(["a", "migrations"])
  expect(await migrate(db, [first, second])).toEqual(["0002_test.sql"])
})

test("F11, C-09: a process killed in the middle of a file leaves nothing, holds no lock, and the next one resumes", async () => {
  const [db, other] = [connect(), connect()]
  await other.script("select pg_advisory_lock(1)")
  // A session of its own must hold the lock that the file waits for.
  const holder = await other.dedicated()
  await other.script("select pg_advisory_unlock_all()")
  await holder.query("select pg_advisory_lock(1)")
  const slow = file(2, "create table millrace.b (n integer); select pg_advisory_xact_lock(1);")
  const killed = migrate(db, [first, slow]).catch((error) => error)
  await terminateWhenWaiting(connect())
  expect((await killed) instanceof Error).toBe(true)
  holder.release(true)
  const next = connect()
  expect(await tables(next)).toEqual(["a", "migrations"])
  expect(await migrate(next, [first, second])).toEqual(["0002_test.sql"])
})

test("F11, S24: killed at the end of each of our files, the next start finds the schema of before it and goes on", async () => {
  const files = readMigrations()
  for (const [index, { name, text, ...rest }] of files.entries()) {
    const killed = { ...rest, name, text: `${text};\nselect pg_terminate_backend(pg_backend_pid());` }
    await expect(migrate(connect(), [...files.slice(0, index), killed])).rejects.toMatchObject({ code: "57P01" })
    const next = connect()
    expect(await migrate(next, files.slice(0, index + 1))).toEqual([name])
    expect(
      await next.script(
        "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      ),
    ).toEqual([])
    await next.close()
    open.splice(open.indexOf(next), 1)
  }
  expect(await migrate(connect())).toEqual([])
})

/** Kills the backend that waits for the lock inside the file, once it does. */
async function terminateWhenWaiting(db: Database): Promise<void> {
  for (;;) {
    const rows = await db.script(`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and objid = 1 and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    if (rows.length > 0) return
  }
}

test("C-09: a file that was changed after it was applied is refused, and nothing is applied", async () => {
  const db = connect()
  await migrate(db, [first])
  const changed = file(1, `${first.text} -- a comment`)
  await expect(migrate(db, [changed, second])).rejects.toBeInstanceOf(MigrationError)
  expect(await tables(db)).toEqual(["a", "migrations"])
})

test("C-09, F71, S24: a database of a newer Millrace is refused and left as it is", async () => {
  const db = connect()
  await migrate(db, [first, second])
  await expect(migrate(db, [first])).rejects.toThrow("newer Millrace")
  expect(await migrate(db, [first, second])).toEqual([])
})

test("our own files make a schema of any name, beside another in the same database", async () => {
  const [one, two] = [connect(), connect("tenant-2")]
  const names = readMigrations().map(({ name }) => name)
  expect(await migrate(one)).toEqual(names)
  expect(await migrate(two)).toEqual(names)
  const [row] = await two.script("select count(*) as n from pg_tables where schemaname = 'tenant-2'")
  expect(row?.n).toBe((await tables(one)).length)
})
