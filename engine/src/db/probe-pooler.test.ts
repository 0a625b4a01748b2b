// The probe for poolers, and what callers are told by one that loses prepared statements all the same.
import { afterEach, beforeEach, expect, test } from "vitest"
import { explainStartError } from "../cli/explain-start-error.ts"
import { EngineError, millrace } from "../index.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { createWireProxy, type WireProxy } from "../test-support/wire-proxy.ts"
import { Database } from "./database.ts"
import { probePooler } from "./probe-pooler.ts"

let created: Awaited<ReturnType<typeof createTestDatabase>>
let proxy: WireProxy

beforeEach(async () => {
  created = await createTestDatabase()
  proxy = await createWireProxy(created.dsn)
})
afterEach(async () => {
  await proxy.close()
  await created.drop()
})

test("straight to PostgreSQL, sessions are kept", async () => {
  const db = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
  expect(await probePooler(db)).toEqual({ keepsSessions: true })
  await db.close()
})

test("a pooler that loses prepared statements is refused at start, and told in one line what is needed", async () => {
  proxy.forget()
  const error: unknown = await millrace({ database: proxy.dsn, logLevel: "silent" }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(EngineError)
  expect(error).toMatchObject({ code: "bad-request" })
  expect(explainStartError(error)).toMatch(/loses prepared statements.*1\.21.*max_prepared_statements.*session.*DSN/)
})

test("F42: one that begins to lose them under a running engine costs retries, and no call is answered otherwise", async () => {
  const mill = await millrace({ database: proxy.dsn, maxConnections: 3, logLevel: "silent" })
  await mill.enqueue("email", {})
  proxy.forget()
  const told: unknown[] = []
  for (let n = 0; n < 20; n++) {
    const outcome = await mill.enqueue("email", { n }).then(
      () => "done",
      (error: unknown) => error,
    )
    if (outcome !== "done") expect(outcome).toMatchObject({ code: "unavailable", cause: { code: "26000" } })
    told.push(outcome)
  }
  expect(told).toContain("done")
  expect(told.some((outcome) => outcome !== "done")).toBe(true)
  await mill.stop()
})
