// Starts that share a batch with one whose key another transaction holds: each is written once, whatever the other does.
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Database } from "../../../db/database.ts"
import { linear } from "../../../test-support/definitions.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { startInstance } from "./start-instance.ts"
import { takeIntake } from "./take-intake.ts"

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(linear())
})
afterAll(() => engine.close())

/** Another transaction that holds a key until it is let go. */
async function holdKey(insert: string) {
  const client = await engine.db.dedicated()
  await client.query("begin")
  await client.query(insert)
  return async () => {
    await client.query("rollback")
    client.release()
  }
}

const countWaiting = async (db: Database) =>
  (await db.script("select count(*) as n from pg_locks where not granted"))[0]?.n as number

const start = (businessKey?: string) =>
  startInstance(engine.kernel, { definitionId: "linear", variables: {}, businessKey, actor: "ann" })

test("C-19: a start whose business key is held follows alone; its neighbours are answered without it, and each is written once", async () => {
  const letGo = await holdKey(
    "insert into millrace.business_keys (definition_id, business_key, instance_id) values ('linear', 'held', 'x')",
  )
  const waiting = start("held")
  const neighbours = await Promise.all(Array.from({ length: 20 }, (_, n) => start(n % 2 ? `free-${n}` : undefined)))
  await letGo()
  const { instance } = await waiting
  const ids = new Set([...neighbours.map((one) => one.instance.id), instance.id])
  expect(ids.size).toBe(21)
  expect(await countRows(engine.db, "instances", "definition_id = 'linear'")).toBe(21)
  await expect(start("held")).rejects.toMatchObject({ code: "conflict" })
})

test("A-03: an intake whose key is held follows alone, and starts one run", async () => {
  const letGo = await holdKey(
    "insert into millrace.intake_keys (definition_id, key, instance_id) values ('linear', 'held', 'x')",
  )
  const take = (key: string) =>
    takeIntake(engine.kernel, { definitionId: "linear", key, payload: { n: key }, actor: "ann" })
  const before = await countRows(engine.db, "instances", "true")
  const taken = Promise.all(["held", "a", "held", "b", "c", "a"].map(take))
  await expect.poll(() => countWaiting(engine.db)).toBeGreaterThan(0)
  await letGo()
  await taken
  expect((await countRows(engine.db, "instances", "true")) - before).toBe(4)
})
