// A statement of the engine's own that the database does not do is no fault of the run it belongs to.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { Database } from "../../db/database.ts"
import { type Mill, millrace, step, type TxStep, workflow } from "../../index.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"

let created: Awaited<ReturnType<typeof createTestDatabase>>
let db: Database
let mill: Mill

beforeAll(async () => {
  created = await createTestDatabase()
  db = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
  mill = await millrace({ database: created.dsn, logLevel: "silent" })
})
afterAll(async () => {
  await mill.stop()
  await db.close()
  await created.drop()
})

/** The first write to the table fails. A sequence knows that it was, for it is not rolled back. */
const failOnce = (table: string, code: string) =>
  db.script(`create sequence millrace.fault_count;
    create function millrace.fail_once() returns trigger language plpgsql as $$ begin
      if nextval('millrace.fault_count') = 1 then raise exception 'a fault' using errcode = '${code}'; end if;
      return null;
    end $$;
    create trigger fail_once before insert or update on millrace.${table}
      for each statement execute function millrace.fail_once()`)
afterEach(() =>
  db.script("drop function if exists millrace.fail_once() cascade; drop sequence if exists millrace.fault_count"),
)

test.each([
  ["run_steps", "57014"],
  ["run_steps", "53100"],
  ["run_steps", "40001"],
  ["run_steps", "XX000"],
  ["jobs", "57014"],
])("F42: a write to %s that ends with %s: the run goes on, and is done", async (table, code) => {
  const seen: string[] = []
  const steps = ["first", "second"].map((name) => step(name, () => void seen.push(name)))
  const flow = workflow(`troubled_${table}_${code}`, { steps, recover: "resume" })
  const { id } = await mill.start(flow, {})
  await failOnce(table, code)
  const worker = await mill.work([flow])
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "COMPLETED" })
  expect(seen).toEqual(expect.arrayContaining(["first", "second"]))
  await worker.stop()
})

test("a statement of the step's own that is cancelled fails the step, unless the step says otherwise", async () => {
  async function cancelled({ tx }: TxStep) {
    await tx.query("do $$ begin raise exception 'too slow' using errcode = '57014'; end $$")
  }
  const flow = workflow("cancelled", { steps: [cancelled], claim: "transaction" })
  const worker = await mill.work([flow])
  const { id } = await mill.start(flow, {})
  expect(await mill.runs.handle(id).ended()).toMatchObject({ status: "FAILED", failureReason: "cancelled: too slow" })
  await worker.stop()
})
