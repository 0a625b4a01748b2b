import { afterAll, beforeAll, expect, test } from "vitest"
import { linear } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)
const bulk = (body: unknown) => call("POST /v1/instances/bulk", { body })

beforeAll(async () => {
  server = await createTestServer()
  await server.engine.upload(linear())
  for (let n = 0; n < 3; n++) await call("POST /v1/instances", { body: { definitionId: "linear" } })
})
afterAll(() => server.close())

test("a dry run counts and changes nothing", async () => {
  const { status, body } = await bulk({ action: "cancel", filter: { definitionId: "linear" }, dryRun: true })
  expect(status).toBe(202)
  expect(body).toMatchObject({ id: expect.any(String), matched: 3, done: 0, failed: 0 })
  expect((await call("GET /v1/instances?status=ACTIVE")).body.total).toBe(3)
})

test("a bulk cancel is accepted at once, worked off in the background, and can be followed", async () => {
  const { status, body } = await bulk({ action: "cancel", filter: { definitionId: "linear" }, reason: "recalled" })
  expect([status, body.matched]).toEqual([202, 3])
  await expect.poll(async () => (await call(`GET /v1/bulk/${body.id}`)).body).toMatchObject({ done: 3, failed: 0 })
  const { items } = (await call("GET /v1/instances?status=CANCELLED")).body
  expect(items).toMatchObject(Array(3).fill({ failureReason: "recalled" }))
})

test.each([
  ["no filter", { action: "cancel" }],
  ["an empty filter", { action: "cancel", filter: {} }],
  ["a filter of fields nobody knows", { action: "cancel", filter: { everything: true } }],
  ["an unknown action", { action: "delete", filter: { definitionId: "linear" } }],
  ["no action", { filter: { definitionId: "linear" } }],
  ["an unknown status", { action: "cancel", filter: { status: "RUNNING" } }],
  ["a filter that is a list", { action: "cancel", filter: [] }],
  ["a dry run as text", { action: "cancel", filter: { definitionId: "linear" }, dryRun: "true" }],
  ["a version as text", { action: "cancel", filter: { version: "1" } }],
])("%s is 400", async (_, body) => {
  const reply = await bulk(body)
  expect([reply.status, reply.body.error]).toEqual([400, "bad-request"])
})

test.each(["01JN8Z9ZZZZZZZZZZZZZZZZZZZ", "x", "a%00b", "y".repeat(10_000)])("bulk operation %s is 404", async (id) => {
  expect((await call(`GET /v1/bulk/${id}`)).status).toBe(404)
})
