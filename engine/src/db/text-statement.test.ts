// Every statement of the engine can go over a caller's connection: in text alone the server understands it as before.
import { readdirSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { callersTransaction } from "./callers-transaction.ts"
import { Database } from "./database.ts"
import { readStatements, statement } from "./statements.ts"

let db: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  db = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 2 })
  await db.script("create table kept (id integer primary key, value text)")
})
afterAll(async () => {
  await db.close()
  await drop()
})

const store = new URL("../store/", import.meta.url)
describe("in text alone", () => {
  const files = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sql"))

  test.each(files)("the server takes every statement of %s", async (file) => {
    const client = await db.dedicated()
    for (const block of readStatements(new URL(file, store))) {
      const { asking, telling } = await db.inText(block)
      for (const text of [asking, telling])
        await client.query(`prepare it as ${text}`).then(() => client.query("deallocate it"))
    }
    client.release()
  })

  test.each([
    [
      "a part that writes",
      "with added as (insert into kept values (@id, @text) returning id) select id, @text || '!' as value from added",
    ],
    [
      "names of columns",
      "with a (x) as materialized (select @id::integer), b as (insert into kept select x, @text from a returning *)\n-- and\nselect id, value || '!' as value from b",
    ],
    [
      "brackets in texts",
      "with a as (select ')(' as x, @id::integer as id), b as (insert into kept select id, @text from a) select a.id, @text || '!' as value from a where \"x\" = ')('",
    ],
    [
      "a writing end",
      "with a as (select @id::integer as id) insert into kept select id, @text || '!' from a returning id, value",
    ],
  ])("a statement that begins with %s gives its rows", async (_, text) => {
    const client = await db.dedicated()
    await client.query("begin")
    const rows = await callersTransaction(db, client, (tx) => tx.read(statement(text, text), { id: 1, text: "x" }))
    expect(rows).toEqual([{ id: 1, value: "x!" }])
    expect((await client.query("select id from kept")).rows).toEqual([{ id: 1 }])
    await client.query("rollback")
    client.release()
  })
})
