// The calls of the queue: camelCase here, snake_case there, and what callers put in as it is.
import { afterAll, beforeAll, expect, test } from "vitest"
import { refusal } from "../test-support/samples.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"
import { EngineClient } from "./engine-client.ts"

let engine: ScriptedEngine
let client: EngineClient

beforeAll(async () => {
  engine = await ScriptedEngine.start()
  client = new EngineClient({ url: engine.url })
})
afterAll(async () => {
  client.close()
  await engine.stop()
})

const payload = { fair_key: 1, toWhom: { first_name: "Ada" } }
const wireJob = { id: "j", type: "mail", retry_count: 2, created_at: "t", payload, result: { sent_at: "now" } }

test("D-01: a job goes out in snake_case and comes back in camelCase, its payload and its result untouched", async () => {
  engine.once("/jobs", () => ({ status: 202, body: wireJob }))
  const job = await client.enqueue("mail", payload, { fairKey: "t", limit: { key: "l", max: 2 } })
  const [sent] = engine.requests("/jobs")
  expect(sent?.body).toEqual({ type: "mail", payload, fair_key: "t", limit: { key: "l", max: 2 } })
  expect(sent?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
  expect(job).toMatchObject({ retryCount: 2, createdAt: "t", payload, result: { sent_at: "now" } })
})

test("D-13: a full queue is waited for as it asks, and no longer than the call may take", async () => {
  let refused = 0
  engine.on("/jobs", () =>
    refused++ < 2 ? refusal(503, "backpressure", { "retry-after": "0" }) : { status: 202, body: wireJob },
  )
  expect((await client.enqueue("mail", {})).id).toBe("j")
  expect(refused).toBe(3)
  engine.on("/jobs", () => refusal(503, "backpressure", { "retry-after": "7" }))
  await expect(client.enqueue("mail", {}, { maxAttempts: 1 })).rejects.toMatchObject({
    code: "backpressure",
    retryAfter: 7,
    retryable: true,
  })
})

test("dead letters are walked page by page", async () => {
  engine.on("/queues/dlq", ({ query }) => ({
    body: query.has("cursor")
      ? { items: [{ id: "b", job_id: "2" }] }
      : { items: [{ id: "a", job_id: "1" }], next_cursor: "c" },
  }))
  const found: string[] = []
  for await (const letter of client.deadLetters.all({ definitionId: "order" })) found.push(letter.id + letter.jobId)
  expect(found).toEqual(["a1", "b2"])
  expect(engine.requests("/queues/dlq").map(({ query }) => query.get("definition_id"))).toEqual(["order", "order"])
})
