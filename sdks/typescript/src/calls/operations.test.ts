// Any operation of the contract, called by its id: its path, its query and its body as they are given, the answer as it came.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { EngineClient } from "../client/engine-client.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"
import { MillraceError } from "./errors.ts"
import { InvalidIdError } from "./paths.ts"

let engine: ScriptedEngine
let client: EngineClient

beforeAll(async () => {
  engine = await ScriptedEngine.start()
  client = new EngineClient({ url: engine.url, maxAttempts: 1 })
})
afterAll(async () => {
  client.close()
  await engine.stop()
})
beforeEach(() => {
  engine.received.length = 0
})

test("a read: ids are encoded, the query has what is given, and nothing of the answer is renamed", async () => {
  engine.once("/jobs/a%2Fb", () => ({ body: { id: "a/b", retry_count: 2 } }))
  expect(await client.call("getJob", { path: { jobId: "a/b" } })).toEqual({ id: "a/b", retry_count: 2 })
  engine.once("/queues/dlq", () => ({ body: { items: [] } }))
  await client.call("listDeadLetters", { query: { definition_id: "order", limit: 5 } })
  expect(String(engine.received[1]?.query)).toBe("definition_id=order&limit=5")
})

test("a change: the method of the contract, the body as it is, and a key that makes a repeat harmless", async () => {
  engine.once("/queues/weights", () => ({ body: { critical: 60, high: 30, normal: 10, source: "database" } }))
  await client.call("setWeights", { body: { critical: 60, high: 30, normal: 10 } })
  const [{ method, body, headers } = {}] = engine.received
  expect({ method, body }).toEqual({ method: "PATCH", body: { critical: 60, high: 30, normal: 10 } })
  expect(headers?.["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
})

test("what needs nothing is called by its id alone", async () => {
  engine.once("/v1/pauses", () => ({ body: { items: [] } }))
  expect(await client.call("listPauses")).toEqual({ items: [] })
})

test.each(["", ".", ".."])("the id %j names another resource: nothing is sent", async (jobId) => {
  expect(() => client.call("getJob", { path: { jobId } })).toThrow(InvalidIdError)
  expect(engine.received).toEqual([])
})

test("a redirect is not followed, and the error says where it points", async () => {
  engine.once("/v1/pauses", () => ({ status: 307, headers: { location: "https://elsewhere.test/" } }))
  const error = await client.call("listPauses").catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(MillraceError)
  expect(error).toMatchObject({ status: 307, location: "https://elsewhere.test/" })
  expect(engine.received).toHaveLength(1)
})
