import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)
const get = async (id: string) => (await call(`GET /v1/instances/${id}`)).body
const worker = () => drive(server.engine.kernel)

async function start(definitionId: string, more: object = {}): Promise<string> {
  return (await call("POST /v1/instances", { body: { definitionId, ...more } })).body.id
}

const UNKNOWN = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"

beforeAll(async () => {
  server = await createTestServer()
  const { engine } = server
  await engine.upload(linear())
  await engine.upload(workflow("task", [step("USER_TASK", "ask", { nextStep: "a" }), service("a")]))
  await engine.upload(
    workflow("wait", [
      step("WAIT", "paid", { nextStep: "later" }),
      step("WAIT", "later", { nextStep: "a" }),
      service("a"),
    ]),
  )
  await engine.upload(workflow("fails", [service("f")]))
})
afterAll(() => server.close())

describe("C-25: cancel", () => {
  test("C-25: answers the cancelled instance, with the reason", async () => {
    const id = await start("linear")
    const { status, body } = await call(`POST /v1/instances/${id}/cancel`, { body: { reason: "changed my mind" } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: "CANCELLED", failureReason: "changed my mind", currentStepIds: [] })
    expect(body.completedAt).toBeTruthy()
  })

  test("C-25: a body is not needed, nor is a content type", async () => {
    for (const options of [{}, { body: {} }, { raw: "", headers: { "content-type": "application/json" } }]) {
      expect((await call(`POST /v1/instances/${await start("task")}/cancel`, options)).status).toBe(200)
    }
  })

  test("C-25: a finished instance is 409, an unknown one 404", async () => {
    const id = await start("linear")
    await call(`POST /v1/instances/${id}/cancel`)
    const { status, body } = await call(`POST /v1/instances/${id}/cancel`)
    expect([status, body.error]).toEqual([409, "conflict"])
    expect((await call(`POST /v1/instances/${UNKNOWN}/cancel`)).status).toBe(404)
    expect((await call("POST /v1/instances/nonsense/cancel")).status).toBe(404)
  })

  test("C-25: a reason that is no text is 400 and changes nothing", async () => {
    const id = await start("linear")
    for (const reason of [7, { a: 1 }, "r".repeat(2_001)])
      expect((await call(`POST /v1/instances/${id}/cancel`, { body: { reason } })).status).toBe(400)
    expect((await get(id)).status).toBe("ACTIVE")
  })
})

describe("C-29: complete a user task", () => {
  test.each([
    ["variables", { completedBy: "maria", variables: { ok: true } }],
    ["its other name, result", { completedBy: "maria", result: { ok: true } }],
  ])("C-29: 204 with %s", async (_, body) => {
    const id = await start("task")
    const reply = await call(`POST /v1/instances/${id}/user-tasks/ask/complete`, { body })
    expect([reply.status, reply.text]).toEqual([204, ""])
    expect(await get(id)).toMatchObject({ status: "ACTIVE", currentStepIds: ["a"], variables: { ok: true } })
    const audit = (await call(`GET /v1/instances/${id}/audit`)).body.items
    expect(audit).toContainEqual(
      expect.objectContaining({
        kind: "USER_TASK_COMPLETED",
        detail: expect.objectContaining({ completedBy: "maria" }),
      }),
    )
  })

  test("C-29: the body is optional", async () => {
    expect((await call(`POST /v1/instances/${await start("task")}/user-tasks/ask/complete`)).status).toBe(204)
  })

  test("C-29: both names at once are 400", async () => {
    const id = await start("task")
    const { status, body } = await call(`POST /v1/instances/${id}/user-tasks/ask/complete`, {
      body: { variables: {}, result: {} },
    })
    expect([status, body.error]).toEqual([400, "bad-request"])
    expect((await get(id)).currentStepIds).toEqual(["ask"])
  })

  test("C-29: no instance or no open task is 404, a finished instance 409, another kind of step 400", async () => {
    const complete = async (id: string, stepId: string) =>
      (await call(`POST /v1/instances/${id}/user-tasks/${stepId}/complete`)).status
    const id = await start("task")
    expect(await complete(UNKNOWN, "ask")).toBe(404)
    expect(await complete(id, "nowhere")).toBe(404)
    expect(await complete(id, "s".repeat(500))).toBe(404)
    expect(await complete(id, "a")).toBe(400)
    expect(await complete(id, "ask")).toBe(204)
    expect(await complete(id, "ask")).toBe(404)
    await call(`POST /v1/instances/${id}/cancel`)
    expect(await complete(id, "ask")).toBe(409)
  })
})

describe("C-30: signal", () => {
  test("C-30: the body is the variable map", async () => {
    const id = await start("wait")
    const reply = await call(`POST /v1/instances/${id}/signals/paid`, {
      body: { amount: 5, variables: { kept: "as it is" } },
    })
    expect([reply.status, reply.text]).toEqual([204, ""])
    expect(await get(id)).toMatchObject({
      currentStepIds: ["later"],
      variables: { amount: 5, variables: { kept: "as it is" } },
    })
  })

  test("C-30: the body is optional", async () => {
    expect((await call(`POST /v1/instances/${await start("wait")}/signals/paid`)).status).toBe(204)
  })

  test("C-30: not parked is 409, finished 409, unknown 404, another kind of step 400, a list 400", async () => {
    const signal = async (id: string, stepId: string, body?: unknown) =>
      (await call(`POST /v1/instances/${id}/signals/${stepId}`, { body })).status
    const id = await start("wait")
    expect(await signal(id, "later")).toBe(409)
    expect(await signal(id, "a")).toBe(400)
    expect(await signal(id, "nowhere")).toBe(404)
    expect(await signal(UNKNOWN, "paid")).toBe(404)
    expect(await signal(id, "paid", [1])).toBe(400)
    expect(await signal(id, "paid", "text")).toBe(400)
    expect((await get(id)).currentStepIds).toEqual(["paid"])
    await call(`POST /v1/instances/${id}/cancel`)
    expect(await signal(id, "paid")).toBe(409)
  })
})

describe("C-31: retry a step", () => {
  async function failed(): Promise<string> {
    const id = await start("fails", { variables: { token: "old" } })
    await worker().fail(await worker().claimOne("f"), "card refused", false)
    return id
  }

  test("C-31: the instance is live again, with the variables that came along", async () => {
    const id = await failed()
    expect(await get(id)).toMatchObject({ status: "FAILED", failureReason: "card refused" })
    const { status, body } = await call(`POST /v1/instances/${id}/steps/f/retry`, {
      body: { variables: { token: "new" } },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: "ACTIVE", currentStepIds: ["f"], variables: { token: "new" } })
    expect(body.failureReason).toBeUndefined()
    expect(body.completedAt).toBeUndefined()
    await worker().complete(await worker().claimOne("f"))
    expect((await get(id)).status).toBe("COMPLETED")
  })

  test("the step need not be named", async () => {
    const id = await failed()
    const { status, body } = await call(`POST /v1/instances/${id}/retry`, { body: { variables: { token: "new" } } })
    expect([status, body.status, body.currentStepIds, body.variables]).toEqual([200, "ACTIVE", ["f"], { token: "new" }])
    expect((await call(`POST /v1/instances/${id}/retry`)).status).toBe(409)
    await worker().complete(await worker().claimOne("f"))
    expect((await call(`POST /v1/instances/${id}/retry`)).status).toBe(409)
    expect((await call(`POST /v1/instances/${UNKNOWN}/retry`)).status).toBe(404)
  })

  test("C-31: what did not fail is 409, what is not there 404, variables that are none 400", async () => {
    const retry = async (id: string, stepId: string, body?: unknown) =>
      (await call(`POST /v1/instances/${id}/steps/${stepId}/retry`, { body })).status
    const live = await start("linear")
    expect(await retry(live, "a")).toBe(409)
    expect(await retry(UNKNOWN, "a")).toBe(404)
    const id = await failed()
    expect(await retry(id, "nowhere")).toBe(404)
    expect(await retry(id, "f", { variables: [] })).toBe(400)
    expect((await get(id)).status).toBe("FAILED")
  })
})

describe("restart", () => {
  const ended = async () => {
    const id = await start("linear", { variables: { n: 1 } })
    await call(`POST /v1/instances/${id}/cancel`)
    return id
  }

  test("S4: answers 201 with the new instance, linked to the one that has ended", async () => {
    const id = await ended()
    const { status, body } = await call(`POST /v1/instances/${id}/restart`, { body: { variables: { m: 2 } } })
    expect([status, body.status, body.parentId, body.variables]).toEqual([201, "ACTIVE", id, { n: 1, m: 2 }])
    expect((await get(id)).status).toBe("CANCELLED")
    const from = await call(`POST /v1/instances/${id}/restart`, { body: { fromStep: "b" } })
    expect([from.status, from.body.currentStepIds]).toEqual([201, ["b"]])
  })

  test("S3: with the same Idempotency-Key it is the same instance, with another body 422", async () => {
    const id = await ended()
    const headers = { "idempotency-key": "restart-once" }
    const first = await call(`POST /v1/instances/${id}/restart`, { headers })
    const again = await call(`POST /v1/instances/${id}/restart`, { headers })
    expect([again.status, again.body.id]).toEqual([201, first.body.id])
    const other = await call(`POST /v1/instances/${id}/restart`, { headers, body: { fromStep: "b" } })
    expect(other.status).toBe(422)
  })

  test("a live one is 409, an unknown one 404; a step or a version that is not there 400 and 404", async () => {
    const live = await start("linear")
    const restart = async (id: string, body?: unknown) =>
      (await call(`POST /v1/instances/${id}/restart`, { body })).status
    expect(await restart(live)).toBe(409)
    expect(await restart(UNKNOWN)).toBe(404)
    const id = await ended()
    expect(await restart(id, { fromStep: "nowhere" })).toBe(400)
    expect(await restart(id, { definitionVersion: 99 })).toBe(404)
    expect(await restart(id, { variables: [] })).toBe(400)
  })
})
