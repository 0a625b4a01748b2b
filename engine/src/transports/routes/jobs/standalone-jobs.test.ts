import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { countRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { everyRoute } from "../../rest/test-support/every-route.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

const NOBODY = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
let server: TestServer
beforeAll(async () => {
  server = await createTestServer()
})
afterAll(() => server.close())

const post = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  server.call(`POST ${path}`, { body, headers })
const submit = async (body: object) => (await post("/jobs", { payload: {}, ...body })).body
const get = async (id: string) => (await server.call(`GET /jobs/${id}`)).body
const worker = { workerId: "w" }
const claim = async (type: string, more: object = {}) =>
  (await post("/v1/jobs/poll", { ...worker, jobTypes: [type], waitSeconds: 5, ...more })).body.jobs[0]
const holder = ({ leaseToken }: { leaseToken: string }) => ({ ...worker, leaseToken })
const pathsOf = ({ body }: Reply) => body.details.map(({ path }: { path: string }) => path)

describe("POST /jobs", () => {
  test("D-01: a job is taken with 202, as a job of normal priority whose type is in its payload", async () => {
    const payload = { type: "mail", to: "ada@example.org", deep: { list: [1, null, "ü"] } }
    const { status, body } = await post("/jobs", { payload })
    expect(status).toBe(202)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      type: "mail",
      status: "PENDING",
      priority: "normal",
      payload,
      result: null,
      retry_count: 0,
      error: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: body.created_at,
    })
    expect(await get(body.id)).toEqual(body)
  })

  test("D-01: its own type goes before the payload's, and every priority has its priority", async () => {
    for (const priority of ["critical", "high", "normal"]) {
      const job = await submit({ type: "own", payload: { type: "other" }, priority })
      expect(job).toMatchObject({ type: "own", priority })
    }
  })

  test.each([
    ["a priority outside the three", { type: "a", payload: {}, priority: "urgent" }, ["$.priority"]],
    ["no type anywhere", { payload: {} }, ["$.type"]],
    ["a type that is no name", { type: "a b", payload: {} }, ["$.type"]],
    ["a type in the payload that is no name", { payload: { type: 7 } }, ["$.payload.type"]],
    ["no payload", { type: "a" }, ["$.payload"]],
    ["a payload that is no object", { type: "a", payload: [1] }, ["$.payload"]],
    ["no body", undefined, ["$.payload", "$.type"]],
    ["a body that is a list", [], ["$"]],
    ["a delay that is no duration", { type: "a", payload: {}, delay: 30 }, ["$.delay"]],
    ["a limit without a key", { type: "a", payload: {}, limit: { max: 0 } }, ["$.limit.key", "$.limit.max"]],
    ["a window without a length", { type: "a", payload: {}, unique: { key: "k" } }, ["$.unique.for"]],
    ["a retry that is none", { type: "a", payload: {}, retry: "soon", retries: -1 }, ["$.retries", "$.retry"]],
    [
      "a policy that is none",
      { type: "a", payload: {}, retry: { base: 1, jitter: "some" } },
      ["$.retry.base", "$.retry.jitter"],
    ],
    ["a field as the library spells it", { type: "a", payload: {}, fairKey: "x" }, ["$.fairKey"]],
    ["a downstream that is no name", { type: "a", payload: {}, downstream: "" }, ["$.downstream"]],
  ])("D-01: %s is 422, and nothing is stored", async (_, body, paths) => {
    const before = await countRows(server.engine.db, "jobs")
    const reply = await post("/jobs", body)
    expect([reply.status, reply.body.error, pathsOf(reply).sort()]).toEqual([422, "unprocessable", paths])
    expect(await countRows(server.engine.db, "jobs")).toBe(before)
  })

  test("a request that is sent again with its Idempotency-Key is answered as the first time", async () => {
    const key = { "idempotency-key": "once" }
    const body = { type: "keyed", payload: { n: 1 } }
    const first = await post("/jobs", body, key)
    const job = await claim("keyed")
    const again = await post("/jobs", body, key)
    expect([again.status, again.text]).toEqual([202, first.text])
    expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"])
    const other = await post("/jobs", { ...body, payload: { n: 2 } }, key)
    expect([other.status, other.body.error]).toEqual([422, "idempotency-mismatch"])
    expect(job.id).toBe(first.body.id)
  })

  test("a job's own key is good for one job of its type, as long as the job's record is kept", async () => {
    const body = { type: "order", payload: { n: 1 }, key: "order-7" }
    const first = await post("/jobs", body)
    const again = await post("/jobs", body)
    expect([again.status, again.body.id, again.headers.get("idempotent-replayed")]).toEqual([
      202,
      first.body.id,
      "true",
    ])
    expect((await post("/jobs", { ...body, payload: { n: 2 } })).status).toBe(422)
    expect((await post("/jobs", { ...body, type: "invoice" })).body.id).not.toBe(first.body.id)
  })

  test("jobs are listed by the beginning of their key, live and ended; an empty one is wrong", async () => {
    const [first, second] = [
      await submit({ type: "keyed", key: "lot-1" }),
      await submit({ type: "keyed", key: "lot-2" }),
    ]
    await submit({ type: "keyed", key: "other" })
    await post(`/jobs/${first.id}/cancel`, {})
    const list = async (path: string) => (await server.call(`GET ${path}?keyPrefix=lot-`)).body.items
    expect(await list("/v1/jobs")).toMatchObject([{ id: second.id, key: "lot-2", status: "ready" }])
    expect(await list("/v1/jobs/ended")).toMatchObject([{ id: first.id, key: "lot-1", status: "CANCELLED" }])
    expect(pathsOf(await server.call("GET /v1/jobs?keyPrefix="))).toEqual(["query.keyPrefix"])
  })

  test("a window refuses a second job of its key", async () => {
    const body = { type: "digest", payload: {}, unique: { key: "ada", for: "PT10M" } }
    expect((await post("/jobs", body)).status).toBe(202)
    const { status, body: refusal } = await post("/jobs", body)
    expect([status, refusal.error]).toEqual([409, "conflict"])
    expect((await post("/jobs", { ...body, unique: { key: "otto", for: "PT10M" } })).status).toBe(202)
  })

  test("a delayed job says when it is due, and is not handed out before", async () => {
    const job = await submit({ type: "later", delay: "PT1H" })
    expect(Date.parse(job.due_at) - Date.parse(job.created_at)).toBe(3_600_000)
    expect(await claim("later", { waitSeconds: 0 })).toBeUndefined()
  })

  test("a delay holds for a debounced job too: the later of both counts", async () => {
    const wait = async (delay: string, window: string) => {
      const unique = { key: `${delay}-${window}`, for: window, mode: "debounce" }
      const job = await submit({ type: "debounced", delay, unique })
      return Date.parse(job.due_at) - Date.parse(job.created_at)
    }
    expect(await wait("PT1H", "PT1M")).toBeGreaterThanOrEqual(3_600_000)
    expect(await wait("PT1M", "PT1H")).toBeGreaterThanOrEqual(3_600_000)
  })

  test("what a job asks for reaches its worker", async () => {
    await submit({ type: "slow", timeout: "PT2M", retries: 7, priority: "critical", payload: { a: 1 } })
    expect(await claim("slow")).toMatchObject({
      jobType: "slow",
      instanceId: "",
      stepId: "",
      stepExecutionId: "",
      definitionId: "",
      variables: { a: 1 },
      priority: "critical",
      retriesRemaining: 7,
      attempt: 1,
      timeoutSeconds: 120,
    })
    await submit({ type: "plain" })
    expect(await claim("plain")).toMatchObject({ timeoutSeconds: 30, retriesRemaining: 5 })
  })
})

describe("GET /jobs/{id}", () => {
  test.each([NOBODY, "x", `${NOBODY}-0001`, "..%2f"])("D-02: %s is 404", async (id) => {
    const { status, body } = await server.call(`GET /jobs/${id}`)
    expect([status, body.error]).toEqual([404, "not-found"])
  })

  test("D-02: an instance is no job", async () => {
    await server.engine.upload({
      id: "w",
      name: "w",
      steps: [{ id: "s", name: "s", type: "SERVICE_TASK", jobType: "s" }],
    })
    const { id } = (await post("/v1/instances", { definitionId: "w" })).body
    expect((await server.call(`GET /jobs/${id}`)).status).toBe(404)
  })

  test("D-11: a job is PENDING, then RUNNING, then COMPLETED with its result", async () => {
    const { id, status } = await submit({ type: "report" })
    const job = await claim("report")
    const running = await get(id)
    await post(`/v1/jobs/${id}/complete`, { ...holder(job), variables: { report: 7 } })
    const completed = await get(id)
    expect([status, running.status, completed.status]).toEqual(["PENDING", "RUNNING", "COMPLETED"])
    expect([running.worker_id, completed.result, completed.error]).toEqual(["w", { report: 7 }, null])
    expect(job.id).toBe(id)
  })

  test("D-11, D-X2: a job that failed and is tried again is PENDING with its error, and FAILED in the end", async () => {
    const { id } = await submit({ type: "flaky", retries: 1 })
    const fail = async (errorMessage: string) =>
      post(`/v1/jobs/${id}/fail`, { ...holder(await claim("flaky")), retryable: true, errorMessage, retryAfter: 0 })
    await fail("first")
    expect(await get(id)).toMatchObject({ status: "PENDING", retry_count: 1, error: "first", result: null })
    await fail("second")
    const failed = await get(id)
    expect(failed).toMatchObject({ status: "FAILED", retry_count: 1 })
    expect(failed.error).toContain("second")
  })

  test("D-11: the attempts of a job have the stacks of their errors", async () => {
    const { id } = await submit({ type: "traced", retries: 1 })
    for (const stack of ["at a (x.py:1)", undefined])
      await post(`/v1/jobs/${id}/fail`, { ...holder(await claim("traced")), retryable: true, retryAfter: 0, stack })
    const { items } = (await server.call(`GET /v1/jobs/${id}/attempts`)).body
    expect(items).toMatchObject([{ attempt: 2 }, { attempt: 1, stack: "at a (x.py:1)" }])
    expect(items[0]).not.toHaveProperty("stack")
  })
})

describe("POST /jobs/{id}/cancel", () => {
  test("a job that waits is CANCELLED, and not handed out any more", async () => {
    const { id } = await submit({ type: "stop" })
    const { status, body } = await post(`/jobs/${id}/cancel`, { reason: "sent by hand" })
    expect([status, body.status, body.error]).toEqual([200, "CANCELLED", "cancelled by local: sent by hand"])
    expect(await claim("stop", { waitSeconds: 0 })).toBeUndefined()
    expect((await post(`/jobs/${id}/cancel`)).status).toBe(200)
  })

  test("a worker that has it loses it", async () => {
    const { id } = await submit({ type: "held" })
    const job = await claim("held")
    await post(`/jobs/${id}/cancel`)
    expect((await post(`/v1/jobs/${id}/heartbeat`, holder(job))).status).toBe(409)
    expect((await post(`/v1/jobs/${id}/complete`, holder(job))).status).toBe(409)
    expect((await get(id)).status).toBe("CANCELLED")
  })

  test("one that has ended is a conflict, an unknown one is 404", async () => {
    const { id } = await submit({ type: "done" })
    await post(`/v1/jobs/${id}/complete`, holder(await claim("done")))
    expect((await post(`/jobs/${id}/cancel`)).status).toBe(409)
    expect((await post(`/jobs/${NOBODY}/cancel`)).status).toBe(404)
    expect((await post(`/jobs/${id}/cancel`, { reason: 7 })).status).toBe(422)
  })
})

describe("POST /jobs/bulk", () => {
  test("many jobs are one request, with their ids in its order", async () => {
    const jobs = Array.from({ length: 50 }, (_, n) => ({ type: "many", payload: { n } }))
    const { status, body } = await post("/jobs/bulk", { jobs })
    expect([status, body.ids.length]).toEqual([202, 50])
    expect((await get(body.ids[49])).payload).toEqual({ n: 49 })
  })

  test("sent again with its key it is the same jobs; with another body it is refused", async () => {
    const key = { "idempotency-key": "bulk" }
    const jobs = [
      { type: "again", payload: { n: 1 } },
      { type: "again", payload: { n: 1 } },
    ]
    const first = await post("/jobs/bulk", { jobs }, key)
    const again = await post("/jobs/bulk", { jobs }, key)
    expect(new Set(first.body.ids).size).toBe(2)
    expect(again.body).toEqual(first.body)
    expect((await post("/jobs/bulk", { jobs: jobs.slice(1) }, key)).body.error).toBe("idempotency-mismatch")
  })

  test("every fault of every job is told, and none is taken", async () => {
    const before = await countRows(server.engine.db, "jobs")
    const reply = await post("/jobs/bulk", { jobs: [{ type: "a", payload: {} }, { type: "a" }, 7] })
    expect([reply.status, pathsOf(reply)]).toEqual([422, ["$.jobs[1].payload", "$.jobs[2]"]])
    expect((await post("/jobs/bulk", {})).status).toBe(422)
    const jobs = Array.from({ length: 1_001 }, () => ({ type: "a", payload: {} }))
    expect(pathsOf(await post("/jobs/bulk", { jobs }))).toEqual(["$.jobs"])
    expect(await countRows(server.engine.db, "jobs")).toBe(before)
  })
})

describe("a full queue", () => {
  let engine: TestEngine
  let small: TestServer
  beforeAll(async () => {
    engine = await createTestEngine({
      WE_HIGH_WATERMARK: "3",
      WE_LOW_WATERMARK: "1",
      WE_BACKPRESSURE_RETRY_AFTER: "7s",
    })
    small = await createTestServer({ engine })
  })
  afterAll(async () => {
    await small.close()
    await engine.close()
  })

  test("D-13, D-T5, D-X3: at the high watermark a job is refused with 503 and Retry-After, counted, and not stored", async () => {
    const body = { type: "flood", payload: {} }
    const replies: Reply[] = []
    for (let n = 0; n < 5; n++) replies.push(await small.call("POST /jobs", { body }))
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 503, 503])
    const refused = replies[4] as Reply
    expect([refused.body.error, refused.headers.get("retry-after")]).toEqual(["backpressure", "7"])
    expect(await countRows(engine.db, "jobs")).toBe(3)
    expect(await engine.kernel.metrics.registry.metrics()).toMatch(/^backpressure_rejections_total 2$/m)
    const high = await small.call("POST /jobs", { body: { ...body, priority: "high" } })
    expect(high.status).toBe(202)
  })
})

describe("D-08: GET /health", () => {
  test("each part is well", async () => {
    const { status, body } = await server.call("GET /health")
    const components = { postgres: "ok", pulse: "ok", process: "ok" }
    expect([status, body]).toEqual([200, { status: "ok", components, pool: expect.any(Object) }])
  })

  test("one that is not is named, and the answer is 503", async () => {
    const late = await createTestServer({ engine: server.engine, ready: () => false })
    const draining = await createTestServer({ engine: server.engine, ready: () => false, draining: () => true })
    const components = async ({ call }: TestServer) => {
      const { status, body } = await call("GET /health")
      expect([status, body.status]).toEqual([503, "degraded"])
      return body.components
    }
    expect(await components(late)).toEqual({ postgres: "ok", pulse: "late", process: "ok" })
    expect(await components(draining)).toEqual({ postgres: "ok", pulse: "ok", process: "draining" })
    for (const one of [late, draining]) await one.close()
  })
})

describe("D-23: layers", () => {
  test("D-23: a route's handler has fewer than 20 lines", () => {
    const long = everyRoute.filter(({ handle }) => handle.toString().split("\n").length >= 20)
    expect(long.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })

  test("D-23: what is behind the doors knows nothing of HTTP", () => {
    const rooms = ["../../../operations/", "../../../services/", "../../../model/", "../../../store/"]
    const files = rooms.flatMap((room) =>
      readdirSync(new URL(room, import.meta.url), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
        .map((name) => new URL(room + name, import.meta.url)),
    )
    const speaking = files.filter((file) =>
      /from "(fastify|node:https?|.*transports\/.*)"/.test(readFileSync(file, "utf8")),
    )
    expect(files.length).toBeGreaterThan(50)
    expect(speaking.map(({ pathname }) => pathname.split("/src/")[1])).toEqual([])
  })
})
