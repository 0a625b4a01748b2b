// The engine in the caller's own process: the same operations, and the same judgement at the door.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { NonRetryableError } from "./library/authoring/handler-failure.ts"
import { type OpenEngine, openEngine } from "./open-engine.ts"
import type { JsonObject } from "./support/json.ts"
import { end, service, workflow } from "./test-support/definitions.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"

let engine: OpenEngine
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  engine = await openEngine({ dsn: created.dsn, logLevel: "silent" })
  await engine.uploadDefinition(workflow("charge", [service("charge", "end"), end()]))
})
afterAll(async () => {
  await engine.stop()
  await drop()
})

const ended = async (id: string) => {
  await expect.poll(async () => (await engine.getInstance(id)).completedAt).toBeTruthy()
  return engine.getInstance(id)
}

/** Runs one instance with this handler. */
async function runWith(handler: () => unknown) {
  const worker = engine.work({ handlers: { charge: handler as () => JsonObject } })
  const { id } = await engine.startInstance({ definitionId: "charge" })
  const instance = await ended(id)
  await worker.stop()
  return instance
}

describe("openEngine", () => {
  test("C-106, C-109: a handler's result is merged, a NonRetryableError fails the instance with its reason", async () => {
    expect(await runWith(() => ({ paid: true }))).toMatchObject({ status: "COMPLETED", variables: { paid: true } })
    const failed = await runWith(() => {
      throw new NonRetryableError("card stolen")
    })
    expect(failed).toMatchObject({ status: "FAILED", failureReason: "card stolen" })
  })

  test.each([
    ["a text", "paid"],
    ["a list", [1]],
    ["a NUL character", { note: "a\u0000b" }],
    ["half a surrogate pair", { note: "\ud800" }],
  ])("C-62: a handler that returns %s fails for good, with a reason", async (_, result) => {
    const instance = await runWith(() => result)
    expect(instance.status).toBe("FAILED")
    expect(instance.failureReason).toBeTruthy()
    expect(instance.variables).toEqual({})
  })

  test.each([
    ["a list as variables", { definitionId: "charge", variables: [1] }],
    ["a text as variables", { definitionId: "charge", variables: "x" }],
    ["a NUL character", { definitionId: "charge", variables: { a: "x\u0000y" } }],
    ["an integer that would be rounded", { definitionId: "charge", variables: { a: 2 ** 60 } }],
    ["an unknown priority", { definitionId: "charge", priority: "huge" }],
    ["no definition", {}],
  ])("C-21: a start with %s is a bad request", async (_, request) => {
    const start = engine.startInstance as (request: unknown) => Promise<unknown>
    await expect(start(request)).rejects.toMatchObject({ code: "bad-request" })
  })

  test("C-21: an unknown definition is not found, and a start needs no variables", async () => {
    await expect(engine.startInstance({ definitionId: "nobody" })).rejects.toMatchObject({ code: "not-found" })
    const { id } = await engine.startInstance({ definitionId: "charge" })
    await engine.cancelInstance(id, "only a test")
    expect(await engine.getInstance(id)).toMatchObject({ status: "CANCELLED", variables: {} })
  })

  test("C-105: work without handlers, and an engine without a database, say what they need", async () => {
    const work = engine.work as (options: unknown) => unknown
    expect(() => work({ charge: () => {} })).toThrow("handlers")
    expect(() => work({ handlers: { charge: "x" } })).toThrow("must be a function")
    await expect((openEngine as (options: unknown) => Promise<unknown>)({})).rejects.toThrow("dsn")
  })
})
