import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)
const start = (body: object) => call("POST /v1/instances", { body })

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"

beforeAll(async () => {
  server = await createTestServer()
  const { engine } = server
  await engine.upload(linear())
  await engine.upload({ ...linear(), name: "second" })
  await engine.upload({ ...linear("typed"), inputSchema: { properties: { n: { type: "integer" } }, required: ["n"] } })
  await engine.upload(
    workflow("human", [
      step("USER_TASK", "ask", { nextStep: "wait" }),
      step("WAIT", "wait", { nextStep: "a" }),
      service("a"),
    ]),
  )
})
afterAll(() => server.close())

describe("C-21: start", () => {
  test("C-21: answers 201 with the instance, pinned to the latest version", async () => {
    const { status, body } = await start({ definitionId: "linear", variables: { n: 1 }, businessKey: "k-1" })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      definitionId: "linear",
      definitionVersion: 2,
      status: "ACTIVE",
      currentStepIds: ["a"],
      variables: { n: 1 },
      startedAt: expect.stringMatching(TIME),
      businessKey: "k-1",
    })
  })

  test("C-21: takes a version, a priority and a linking id", async () => {
    const { body } = await start({ definitionId: "linear", definitionVersion: 1, priority: "high", linkingId: "l-1" })
    expect(body).toMatchObject({ definitionVersion: 1, priority: "high", linkingId: "l-1", variables: {} })
  })

  test.each([
    ["no definition id", {}, "$.definitionId"],
    ["no body", undefined, "$.definitionId"],
    ["a definition id of 10 kB", { definitionId: "x".repeat(10_000) }, "$.definitionId"],
    ["a number as id", { definitionId: 7 }, "$.definitionId"],
    ["a version below 0", { definitionId: "linear", definitionVersion: -1 }, "$.definitionVersion"],
    ["a version beyond an int", { definitionId: "linear", definitionVersion: 99_999_999_999 }, "$.definitionVersion"],
    ["a list of variables", { definitionId: "linear", variables: [1] }, "$.variables"],
    ["variables as text", { definitionId: "linear", variables: "{}" }, "$.variables"],
    ["a business key of 201 bytes", { definitionId: "linear", businessKey: "k".repeat(201) }, "$.businessKey"],
    ["a business key of 10 kB", { definitionId: "linear", businessKey: "k".repeat(10_000) }, "$.businessKey"],
    ["an unknown priority", { definitionId: "linear", priority: "urgent" }, "$.priority"],
    ["a body that is a list", [], "$"],
  ])("C-21: %s is 400", async (_, request, path) => {
    const { status, body } = await call("POST /v1/instances", { body: request })
    expect([status, body.error]).toEqual([400, "bad-request"])
    expect(body.details.map((violation: { path: string }) => violation.path)).toContain(path)
  })

  test("C-21: an unknown definition or version is 404", async () => {
    expect((await start({ definitionId: "nobody" })).status).toBe(404)
    expect((await start({ definitionId: "linear", definitionVersion: 99 })).status).toBe(404)
  })

  test("C-21: a business key that is in use is 409", async () => {
    await start({ definitionId: "linear", businessKey: "once" })
    const { status, body } = await start({ definitionId: "linear", businessKey: "once" })
    expect([status, body.error]).toEqual([409, "conflict"])
    expect((await start({ definitionId: "human", businessKey: "once" })).status).toBe(201)
  })

  test("C-21: variables that do not fit the input schema are 400 with all of it", async () => {
    const { status, body } = await start({ definitionId: "typed", variables: { n: "one" } })
    expect(status).toBe(400)
    expect(body.details[0].path).toBe("$.variables.n")
  })

  test("C-21: fields that nobody knows are ignored and never stored", async () => {
    const { status, body } = await start({ definitionId: "linear", status: "COMPLETED", id: "mine", role: "admin" })
    expect(status).toBe(201)
    expect(body.status).toBe("ACTIVE")
    expect(JSON.stringify(body)).not.toMatch(/mine|admin/)
  })
})

describe("C-22: list", () => {
  beforeAll(async () => {
    for (let n = 0; n < 5; n++) await start({ definitionId: "human", businessKey: `list-${n}`, variables: { n } })
  })

  test("C-22: newest first, filters joined by and", async () => {
    const { status, body } = await call("GET /v1/instances?definitionId=human&status=WAITING&pageSize=3")
    expect(status).toBe(200)
    expect(body.items.map((item: { businessKey: string }) => item.businessKey)).toEqual(["list-4", "list-3", "list-2"])
    expect(body).toMatchObject({ total: 6, totalIsExact: true, nextCursor: expect.any(String) })
    expect((await call("GET /v1/instances?definitionId=human&businessKey=list-1")).body.total).toBe(1)
    expect((await call("GET /v1/instances?definitionId=linear&businessKey=list-1")).body.total).toBe(0)
    expect((await call("GET /v1/instances?definitionId=human&status=FAILED")).body.items).toEqual([])
    expect((await call("GET /v1/instances?definitionId=linear&version=1")).body.total).toBe(1)
  })

  test("C-22: pages and cursors walk the same list", async () => {
    const byCursor: string[] = []
    let cursor = ""
    do {
      const { body } = await call(`GET /v1/instances?definitionId=human&pageSize=2${cursor && `&cursor=${cursor}`}`)
      byCursor.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor ?? ""
    } while (cursor)
    const byPage: string[] = []
    for (const page of [0, 1, 2]) {
      const { body } = await call(`GET /v1/instances?definitionId=human&pageSize=2&page=${page}`)
      byPage.push(...body.items.map(({ id }: { id: string }) => id))
    }
    expect(byCursor).toEqual(byPage)
    expect(new Set(byCursor).size).toBe(6)
  })

  test("C-22: startedAfter is from that moment on, startedBefore up to it", async () => {
    const { body } = await call("GET /v1/instances?definitionId=human&pageSize=1")
    const { id, startedAt } = body.items[0]
    const from = (await call(`GET /v1/instances?definitionId=human&startedAfter=${startedAt}`)).body
    expect(from.items.map((item: { id: string }) => item.id)).toContain(id)
    const until = (await call(`GET /v1/instances?definitionId=human&startedBefore=${startedAt}`)).body
    expect(until.items.map((item: { id: string }) => item.id)).not.toContain(id)
    expect(until.total).toBeGreaterThan(0)
  })

  test.each([
    "status=RUNNING",
    "status=active",
    "pageSize=201",
    "page=-1",
    "version=0",
    "version=99999999999",
    "startedAfter=yesterday",
    "startedBefore=2025-02-30T25:00:00Z",
    "cursor=not-ours",
    "cursor=%00",
    `businessKey=${"k".repeat(201)}`,
    `failure=${"f".repeat(65)}`,
    "status=FAILED&status=ACTIVE",
    "page=2147483647",
  ])("C-22: ?%s is 400", async (query) => {
    const { status, body } = await call(`GET /v1/instances?${query}`)
    expect([status, body.error]).toEqual([400, "bad-request"])
  })
})

describe("C-23, C-24: one instance", () => {
  test("C-23: as it was started, and as it ended", async () => {
    const { body: started } = await start({ definitionId: "linear", variables: { a: 1 } })
    expect((await call(`GET /v1/instances/${started.id}`)).body).toEqual({ ...started, input: { a: 1 } })
    await call(`POST /v1/instances/${started.id}/cancel`, { body: { reason: "no more" } })
    const { body } = await call(`GET /v1/instances/${started.id}`)
    expect(body).toMatchObject({
      status: "CANCELLED",
      failureReason: "no more",
      completedAt: expect.stringMatching(TIME),
    })
    expect(body.currentStepIds).toEqual([])
  })

  test.each(["", "/history", "/audit", "/waiting"])("C-23: an unknown instance is 404 at %j", async (tail) => {
    for (const id of [UNKNOWN, "x", "a%00", "y".repeat(10_000), "%F0%9F%98%80"]) {
      const { status, body } = await call(`GET /v1/instances/${id}${tail}`)
      expect([status, body.error]).toEqual([404, "not-found"])
    }
  })

  test("C-24: the history is in order of start, open steps included", async () => {
    const { body: started } = await start({ definitionId: "human" })
    await call(`POST /v1/instances/${started.id}/user-tasks/ask/complete`, { body: { variables: { ok: true } } })
    const { status, body } = await call(`GET /v1/instances/${started.id}/history`)
    expect(status).toBe(200)
    expect(body.items).toMatchObject([
      { instanceId: started.id, stepId: "ask", stepType: "USER_TASK", attemptNumber: 1, status: "COMPLETED" },
      { instanceId: started.id, stepId: "wait", stepType: "WAIT", attemptNumber: 1, status: "RUNNING" },
    ])
    expect(body.items[0]).toMatchObject({
      startedAt: expect.stringMatching(TIME),
      endedAt: expect.stringMatching(TIME),
    })
    expect(body.items[1].endedAt).toBeUndefined()
  })

  test("C-99: the audit trail names who did it, and can be read from a line on", async () => {
    const { body: started } = await start({ definitionId: "human" })
    const { body } = await call(`GET /v1/instances/${started.id}/audit`)
    expect(body.items[0]).toMatchObject({
      seq: 1,
      actor: "local",
      kind: "INSTANCE_STARTED",
      at: expect.stringMatching(TIME),
    })
    const rest = (await call(`GET /v1/instances/${started.id}/audit?afterSeq=1`)).body.items
    expect(rest).toEqual(body.items.slice(1))
  })

  test("an instance says why it is not moving", async () => {
    const { body: human } = await start({ definitionId: "human" })
    const reasons = async (id: string) => (await call(`GET /v1/instances/${id}/waiting`)).body.reasons
    expect(await reasons(human.id)).toMatchObject([{ kind: "user-task", stepId: "ask", since: human.startedAt }])
    const { body: job } = await start({ definitionId: "linear" })
    expect(await reasons(job.id)).toMatchObject([
      { kind: "job-queued", stepId: "a", detail: { jobType: "a", priority: "normal", message: expect.any(String) } },
    ])
  })
})
