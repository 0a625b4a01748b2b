// Trains: several statements, one answer, one transaction.
import { afterEach, beforeEach, expect, test } from "vitest"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { statement as named, type Statement } from "./statements.ts"

let db: Database
let drop: () => Promise<void>

beforeEach(async () => {
  const created = await createTestDatabase({ empty: true })
  drop = created.drop
  db = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
  await db.script("create table notes (id integer primary key, text text)")
})
afterEach(async () => {
  await db.close()
  await drop()
})

const statement = (text: string): Statement => named(text, text)
const INSERT = statement("insert into notes select @id, @text")
const LIST = statement("select id, text from notes order by id")
const list = () => db.query(LIST)

test("S1: writes without a read are one transaction: a late failure leaves nothing of the early ones", async () => {
  const write = db.transaction(async (tx) => {
    tx.write(INSERT, { id: 1, text: "one" })
    tx.write(INSERT, { id: 2, text: "two" })
    tx.write(INSERT, { id: 1, text: "again" })
  })
  await expect(write).rejects.toMatchObject({ code: "23505" })
  expect(await list()).toEqual([])
})

test("a statement whose first use failed is prepared again, and the connection is as good as before", async () => {
  const broken = db.transaction(async (tx) => {
    tx.write(statement("select 1 / @by::integer"), { by: 0 })
    tx.write(INSERT, { id: 1, text: "never" })
  })
  await expect(broken).rejects.toMatchObject({ code: "22012" })
  await db.transaction(async (tx) => tx.write(INSERT, { id: 1, text: "one" }))
  const [row] = await db.query(statement("select 1 / @by::integer as whole"), { by: 1 })
  expect(row).toEqual({ whole: 1 })
  expect(await list()).toEqual([{ id: 1, text: "one" }])
})

test("reads of one turn share a train; what a failed read leaves is rolled back", async () => {
  const seen = await db.transaction(async (tx) => {
    tx.write(INSERT, { id: 1, text: "one" })
    return Promise.all([tx.read(LIST), tx.read(statement("select @text::text as echo"), { text: "hello" })])
  })
  expect(seen).toEqual([[], [{ echo: "hello" }]])
  const failing = db.transaction(async (tx) => {
    tx.write(INSERT, { id: 2, text: "two" })
    await tx.read(statement("select 1 / @by::integer as bad"), { by: 0 })
  })
  await expect(failing).rejects.toMatchObject({ code: "22012" })
  expect(await list()).toEqual([{ id: 1, text: "one" }])
})

test("a commit that the server turns into a rollback is not taken for one", async () => {
  const lost = db.transaction(async (tx) => {
    await tx.read(statement("select 1 / @by::integer as bad"), { by: 0 }).catch(() => {})
  })
  await expect(lost).rejects.toMatchObject({ name: "CommitLostError" })
})

test("settings of a transaction end with it", async () => {
  const setting = () => db.query(statement("select current_setting('enable_seqscan') as on"))
  await db.transaction(async (tx) => tx.write(INSERT, { id: 1, text: "one" }))
  expect(await setting()).toEqual([{ on: "on" }])
  await db.transaction(async (tx) => void (await tx.read(LIST)))
  expect(await setting()).toEqual([{ on: "on" }])
})

test("rows are looked up in the index one by one, also where the table looks empty: a bitmap leaves dead entries unmarked", async () => {
  const plan = await db.transaction((tx) =>
    tx.read(statement("explain select text from notes where id = any(@ids::integer[])"), { ids: [1, 2] }),
  )
  expect(JSON.stringify(plan)).toContain("Index Scan using notes_pkey")
})

test("a statement planned anew is never prepared; rows and nulls come as they are", async () => {
  const anew: Statement = {
    ...named("anew", "select @a::integer as a, null as b, '{}'::jsonb as c"),
    planned: "anew",
  }
  expect(await db.query(anew, { a: 1 })).toEqual([{ a: 1, b: null, c: "{}" }])
  expect(await db.query(anew, { a: 2 })).toEqual([{ a: 2, b: null, c: "{}" }])
  const prepared = await db.query(statement("select name from pg_prepared_statements where name = 'anew'"))
  expect(prepared).toEqual([])
})
