import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Principal } from "../../operations/people/api-keys.ts"
import { linear, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestServer, type TestServer } from "../rest/test-support/test-server.ts"

const keyOf = (id: string): Principal => ({ id, name: id, scopes: ["admin"] })

let server: TestServer
let count = 0
const call = (route: string, key: string | undefined, body?: unknown, headers: Record<string, string> = {}) =>
  server.call(route, { body, headers: { ...headers, ...(key === undefined ? {} : { "idempotency-key": key }) } })

async function start(definitionId: string): Promise<string> {
  return (await call("POST /v1/instances", undefined, { definitionId })).body.id
}

beforeAll(async () => {
  server = await createTestServer({ keys: { anna: keyOf("anna"), bert: keyOf("bert") } })
  const { engine } = server
  await engine.upload(linear())
  await engine.upload(
    workflow("task", [step("USER_TASK", "ask", { nextStep: "w" }), step("WAIT", "w", { nextStep: "a" }), service("a")]),
  )
  await engine.upload(workflow("fails", [service("f")]))
})
afterAll(() => server.close())

describe("Idempotency-Key", () => {
  test("SEC-62: a key, a user, a token and a person with equal ids do not get each other's answers; a key keeps its own", async () => {
    const id = "00aa00aa00aa00aa"
    const principals = [undefined, "key", "user", "token", "oidc"].map((kind) => ({
      ...keyOf(id),
      ...(kind === undefined ? {} : { subject: `${kind}:${id}` }),
    }))
    const keys = Object.fromEntries(principals.map((principal, at) => [`k${at}`, principal]))
    const many = await createTestServer({ engine: server.engine, keys })
    const body = { definitionId: "linear" }
    const headersOf = (at: number) => ({ authorization: `Bearer k${at}`, "idempotency-key": "same" })
    const ids: string[] = []
    for (const at of principals.keys())
      ids.push((await many.call("POST /v1/instances", { body, headers: headersOf(at) })).body.id)
    // A key that is known by its id alone is the same as before it had a typed name.
    expect([new Set(ids).size, ids[0] === ids[1]]).toEqual([4, true])
    await many.close()
  })

  test("C-21: a start that is sent again is answered as the first time, also when the instance has moved on", async () => {
    const body = { definitionId: "linear", variables: { b: 1, a: [1, { y: 1, x: 2 }] } }
    const first = await call("POST /v1/instances", "start-1", body)
    expect(first.status).toBe(201)
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    await call(`POST /v1/instances/${first.body.id}/cancel`, undefined)
    const sameWithOtherOrder = { variables: { a: [1, { x: 2, y: 1 }], b: 1 }, definitionId: "linear" }
    for (const again of [body, sameWithOtherOrder]) {
      const replay = await call("POST /v1/instances", "start-1", again)
      expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([201, "true"])
      expect(replay.text).toBe(first.text)
    }
  })

  test("C-21: of twenty at once one starts, all get its answer", async () => {
    const body = { definitionId: "linear", variables: { n: 1 } }
    const replies = await Promise.all(Array.from({ length: 20 }, () => call("POST /v1/instances", "start-many", body)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(19)
  })

  test("C-21: the same key with another body is 422", async () => {
    await call("POST /v1/instances", "start-2", { definitionId: "linear" })
    const { status, body } = await call("POST /v1/instances", "start-2", { definitionId: "linear", variables: {} })
    expect([status, body.error]).toEqual([422, "idempotency-mismatch"])
  })

  test("a request that was refused may be sent again with its key", async () => {
    expect((await call("POST /v1/instances", "start-3", { definitionId: "soon" })).status).toBe(404)
    await server.engine.upload(linear("soon"))
    const { status, headers } = await call("POST /v1/instances", "start-3", { definitionId: "soon" })
    expect([status, headers.get("idempotent-replayed")]).toEqual([201, null])
  })

  test("a key holds for one path and one credential", async () => {
    const body = { definitionId: "linear" }
    const ids = new Set<string>()
    for (const headers of [{}, { authorization: "Bearer anna" }, { authorization: "Bearer bert" }]) {
      ids.add((await call("POST /v1/instances", "shared", body, headers)).body.id)
    }
    expect(ids.size).toBe(3)
    const [one, two] = [await start("task"), await start("task")]
    for (const id of [one, two]) {
      const reply = await call(`POST /v1/instances/${id}/cancel`, "shared-cancel")
      expect([reply.status, reply.body.id, reply.headers.get("idempotent-replayed")]).toEqual([200, id, null])
    }
  })

  test("C-17: an upload is repeated word for word, also when there is a newer version", async () => {
    const first = await call("POST /v1/definitions", "up-1", linear("up"))
    await server.engine.upload({ ...linear("up"), name: "newer" })
    const replay = await call("POST /v1/definitions", "up-1", linear("up"))
    expect([replay.status, replay.text]).toEqual([201, first.text])
    expect(replay.headers.get("idempotent-replayed")).toBe("true")
  })

  test("C-25: a cancel that is sent again is 200 with the instance, not 409", async () => {
    const id = await start("linear")
    const first = await call(`POST /v1/instances/${id}/cancel`, "cancel-1", { reason: "x" })
    const replay = await call(`POST /v1/instances/${id}/cancel`, "cancel-1", { reason: "x" })
    expect([replay.status, replay.text]).toEqual([200, first.text])
    expect(replay.headers.get("idempotent-replayed")).toBe("true")
    expect((await call(`POST /v1/instances/${id}/cancel`, "cancel-1", { reason: "y" })).status).toBe(422)
  })

  test("C-29, C-30: a user task and a signal are done once and told twice", async () => {
    const id = await start("task")
    for (const [path, key] of [
      [`/v1/instances/${id}/user-tasks/ask/complete`, "task-1"],
      [`/v1/instances/${id}/signals/w`, "signal-1"],
    ] as const) {
      const first = await call(`POST ${path}`, key, {})
      const replay = await call(`POST ${path}`, key, {})
      expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([204, null])
      expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([204, "true"])
    }
  })

  test("C-31: a retry that is sent again is 200 with the instance as it was then", async () => {
    const id = await start("fails")
    const worker = drive(server.engine.kernel)
    await worker.fail(await worker.claimOne("f"), "no", false)
    const first = await call(`POST /v1/instances/${id}/steps/f/retry`, "retry-1")
    expect(first.body.status).toBe("ACTIVE")
    await worker.complete(await worker.claimOne("f"))
    const replay = await call(`POST /v1/instances/${id}/steps/f/retry`, "retry-1")
    expect([replay.status, replay.text]).toEqual([200, first.text])
    expect(replay.headers.get("idempotent-replayed")).toBe("true")
  })

  test("C-73: a claim that is sent again is 200, also when the task is done", async () => {
    const id = await start("task")
    const tasks = (await server.call("GET /v1/user-tasks?pageSize=200")).body.items
    const task = tasks.find((item: { instanceId: string }) => item.instanceId === id)
    const claim = () => call(`POST /v1/user-tasks/${task.id}/claim`, "claim-1", { assignee: "maria" })
    const first = await claim()
    expect(first.body.assignee).toBe("maria")
    await call(`POST /v1/instances/${id}/user-tasks/ask/complete`, undefined, {})
    const replay = await claim()
    expect([replay.status, replay.text, replay.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
  })

  test("a bulk operation is made once", async () => {
    const body = { action: "cancel", filter: { definitionId: "nothing" }, dryRun: true }
    const first = await call("POST /v1/instances/bulk", "bulk-1", body)
    const replay = await call("POST /v1/instances/bulk", "bulk-1", body)
    expect([replay.status, replay.text, replay.headers.get("idempotent-replayed")]).toEqual([202, first.text, "true"])
  })

  test("200 printable characters are a key", async () => {
    const key = " !~".repeat(66).padEnd(200, "k").trim().padEnd(200, "k")
    expect((await call("POST /v1/instances", key, { definitionId: "linear" })).status).toBe(201)
  })

  test.each(["", "k".repeat(201), "caf\u00e9", "tab\there"])("%j is not a key", async (key) => {
    for (const route of ["POST /v1/instances", "POST /v1/definitions"]) {
      const body = route.endsWith("definitions") ? linear(`not-${++count}`) : { definitionId: "linear" }
      const reply = await call(route, key, body)
      expect([reply.status, reply.body.error]).toEqual([400, "bad-request"])
    }
  })

  test("poll, heartbeat and exchange take no notice of a key", async () => {
    const body = { workerId: "w", jobTypes: ["nothing"] }
    for (let n = 0; n < 2; n++) {
      const reply = await call("POST /v1/jobs/poll", "poll-1", body)
      expect([reply.status, reply.headers.get("idempotent-replayed")]).toEqual([200, null])
    }
  })
})
