// Tests do not meet each other: each file has a database of its own, from one template that no test writes to.
import { afterEach, expect, inject, test } from "vitest"
import { Database } from "../db/database.ts"
import { createTestDatabase } from "./test-engine.ts"

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

async function open(): Promise<Database> {
  const { dsn, drop } = await createTestDatabase()
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  opened.push(drop, () => db.close())
  return db
}

const IDENTITIES = `select s.schemaname || '.' || s.sequencename as name, s.last_value as last
  from pg_sequences s where s.schemaname = 'millrace' order by 1`
const add = (db: Database) =>
  db.script(`insert into millrace.users (id, username, email, hashed_password, role, created_at)
    values ('1', 'ada', 'ada@example.com', 'x', 'USER', now()); select nextval(s.oid::regclass)
    from pg_class s join pg_namespace n on n.oid = s.relnamespace where s.relkind = 'S' and n.nspname = 'millrace'`)
const count = async (db: Database) => (await db.script("select count(*)::int as n from millrace.users"))[0]?.n

test("E-29, D-53: what one writes another does not see, and the next begins with empty tables and fresh identities", async () => {
  const [one, other] = [await open(), await open()]
  const untouched = await other.script(IDENTITIES)
  await add(one)
  expect([await count(one), await count(other)]).toEqual([1, 0])
  expect(await one.script(IDENTITIES)).not.toEqual(untouched)
  const next = await open()
  expect([await count(next), await next.script(IDENTITIES)]).toEqual([0, untouched])
})

test("E-29, D-53: the server of the tests is started for them, on a port that is not the usual one", () => {
  expect(new URL(inject("serverDsn")).port).not.toBe("5432")
})
