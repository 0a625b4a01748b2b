// The views for readers are made again when they are gone: a dump of the schema alone does not carry them.
import { afterEach, beforeEach, expect, test } from "vitest"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { migrate, readMigrations } from "./migrate.ts"
import { viewsOf } from "./restore-views.ts"

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

const views = (db: Database) =>
  db.script(
    `select viewname, definition from pg_views where schemaname = '${db.schema}_views' order by viewname collate "C"`,
  )

test("the views that the migrations name are those that they make", async () => {
  const db = connect()
  await migrate(db)
  const made = (await views(db)).map(({ viewname }) => viewname)
  expect(
    viewsOf(readMigrations())
      .map(({ name }) => name)
      .sort(),
  ).toEqual(made)
  expect(made).toContain("workflow")
})

test.each(["millrace", "tenant-2"])("C-09: the views of %s that are gone are made again as they were", async (name) => {
  const db = connect(name)
  await migrate(db)
  const before = await views(db)
  await db.script("drop schema millrace_views cascade")
  expect(await migrate(db)).toEqual([])
  expect(await views(db)).toEqual(before)
  await db.script("drop view millrace_views.jobs")
  await migrate(db)
  expect(await views(db)).toEqual(before)
})

test("C-09: replicas that start together make them once", async () => {
  const db = connect()
  await migrate(db)
  const before = await views(db)
  await db.script("drop schema millrace_views cascade")
  await Promise.all(Array.from({ length: 4 }, () => migrate(connect())))
  expect(await views(db)).toEqual(before)
})

test("C-09: a view that is there is left alone, with the rights that were granted on it", async () => {
  const db = connect()
  await migrate(db)
  await db.script("grant usage on schema millrace_views to public; grant select on millrace_views.jobs to public")
  await db.script("drop view millrace_views.workflow")
  await migrate(db)
  const [row] = await db.script(`select array_to_string(relacl, ' ') as rights from pg_class
    where oid = 'millrace_views.jobs'::regclass`)
  expect(row?.rights).toMatch(/(^| )=r\//)
})

test("C-09: an upgrade of a restored schema finds the views that its migrations build on", async () => {
  const db = connect()
  const all = readMigrations()
  await migrate(db, all.slice(0, 3))
  await db.script("drop schema millrace_views cascade")
  await migrate(db, all)
  const made = (await views(db)).map(({ viewname }) => viewname)
  expect(made).toHaveLength(viewsOf(all).length)
})

test("which were made again is told", async () => {
  const db = connect()
  await migrate(db)
  await db.script("drop view millrace_views.jobs")
  const told: (readonly string[])[] = []
  await migrate(db, undefined, (restored) => told.push(restored))
  await migrate(db, undefined, (restored) => told.push(restored))
  expect(told).toEqual([["jobs"]])
})
