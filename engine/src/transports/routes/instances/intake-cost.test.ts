// What a submission costs: one statement, one round trip, however many come at once and however often they come again.
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { service, workflow } from "../../../test-support/definitions.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createStatementWatch, type StatementWatch } from "../../../test-support/statement-watch.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let engine: TestEngine
let watch: StatementWatch
/** Without loops of its own: what goes to the database goes there for a request. */
let kernel: Kernel
let server: TestServer

beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(workflow("onboarding", [service("first"), service("second")], { execution: "steplist" }))
  watch = await createStatementWatch(engine.dsn)
  kernel = await createBareKernel(watch.dsn, 1)
  server = await createTestServer({ engine: { ...engine, kernel } })
  // The definition and its queue are known from the first on, and the statement is prepared.
  await send("first")
})
afterAll(async () => {
  await server.close()
  await kernel.db.close()
  await watch.close()
  await engine.close()
})

const send = (key: string, body: object = { email: "ada@example.org" }) =>
  server.call("POST /v1/intake/onboarding", { body, headers: { "idempotency-key": key } })

/** How PostgreSQL is to plan travels with the statement, and touches nothing. */
const work = () => watch.statements.filter((text) => !text.startsWith("select set_config('plan_cache_mode'"))

async function costOf(requests: () => Promise<{ readonly status: number }[]>) {
  watch.forget()
  const replies = await requests()
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
  return { statements: work(), roundTrips: watch.roundTrips }
}

const ONE_INSERT = { statements: [expect.stringContaining("insert into millrace.intake_keys")], roundTrips: 1 }

test("A-04: a submission is exactly one statement and one round trip", async () => {
  expect(await costOf(async () => [await send(randomUUID())])).toEqual(ONE_INSERT)
})

test("A-07, A-08: a duplicate is the same statement, decided by the constraint: nothing is looked up first", async () => {
  const key = randomUUID()
  const first = await costOf(async () => [await send(key)])
  const again = await costOf(async () => [await send(key, { another: "body" })])
  expect(first).toEqual(ONE_INSERT)
  expect(again).toEqual(first)
  expect(again.statements[0]).toContain("on conflict (definition_id, key) do nothing")
})

test("A-F3: submissions that come together share statements", async () => {
  const keys = Array.from({ length: 64 }, () => randomUUID())
  const { statements, roundTrips } = await costOf(() => Promise.all(keys.map((key) => send(key))))
  expect(roundTrips).toBe(statements.length)
  expect(statements.length).toBeLessThan(32)
  expect(await countRows(engine.db, "intake_keys", `key in (${keys.map((key) => `'${key}'`).join()})`)).toBe(64)
})

test("A-04: a submission that is refused never reaches the database", async () => {
  watch.forget()
  const headers = { "content-type": "application/json", "idempotency-key": randomUUID() }
  for (const raw of ["{", "[]", '{"a":"\\u0000"}', "{}}", "", '{"a":1,"a":2}'])
    expect((await server.call("POST /v1/intake/onboarding", { raw, headers })).status).toBe(400)
  expect((await server.call("POST /v1/intake/onboarding", { body: {} })).status).toBe(400)
  expect([watch.statements, watch.roundTrips]).toEqual([[], 0])
})
