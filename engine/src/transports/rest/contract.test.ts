import { secretKeys } from "@millrace/guard/credentials"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Tokens } from "../../operations/people/tokens.ts"
import { errorCatalogue } from "../../support/errors.ts"
import { end, forked, linear, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { parkEvent } from "../../test-support/parked-event.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { callGuardRoutes, callKeyRoutes } from "./test-support/call-guard-routes.ts"
import { loadContract } from "./test-support/contract.ts"
import { everyRoute, pathFor } from "./test-support/every-route.ts"
import { type CallOptions, createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"
import { createUiFolder, type UiFolder } from "./test-support/ui-folder.ts"

const contract = loadContract()
/** Which answers were seen: `POST /v1/instances 201`. */
const seen = new Set<string>()
let server: TestServer
let ui: UiFolder

let engine: TestEngine

beforeAll(async () => {
  ui = await createUiFolder()
  engine = await createTestEngine()
  const guardEnv = { SHADOW_MODE_ENABLED: "true" }
  server = await createTestServer({ metricsOnRest: true, uiFolder: ui.url, engine, guardEnv })
})
afterAll(async () => {
  await server.close()
  await engine.close()
  await ui.remove()
})

/** Every answer is held against the contract. */
async function call(route: string, options: CallOptions = {}): Promise<Reply> {
  const reply = await server.call(route, options)
  const [method, url] = route.split(" ", 2) as [string, string]
  const path = url.split("?", 1)[0] as string
  expect(contract.faultsOf(method, path, reply)).toEqual([])
  seen.add(`${method} ${templateOf(path)} ${reply.status}`)
  return reply
}

function templateOf(path: string): string {
  const fitting = [...new Set([...contract.operations.keys()].map((name) => name.split(" ")[1] as string))]
    .filter((template) => new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .sort((a, b) => a.split("{").length - b.split("{").length)
  return fitting[0] as string
}

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(`POST ${path}`, { body, headers })
const start = async (definitionId: string, more: object = {}) =>
  (await post("/v1/instances", { definitionId, ...more })).body

describe("C-33: the server is what the contract says", () => {
  test("C-33: every route is in the contract, and the other way round", () => {
    expect(everyRoute.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [...contract.operations.keys()].sort(),
    )
  })

  test("C-33: definitions", async () => {
    const every = workflow("every", [
      step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["t", "w"], joinStep: "join" }),
      step("TRANSFORMATION", "t", { transformations: { kind: "urgent" }, nextStep: "u" }),
      step("USER_TASK", "u", {
        nextStep: "join",
        assigneeGroup: "g",
        dueIn: "P1D",
        form: { properties: { a: { type: "boolean" } } },
      }),
      step("WAIT", "w", {
        nextStep: "join",
        boundaryEvents: [{ type: "TIMER", duration: "P1D", interrupting: true, targetStepId: "join" }],
      }),
      step("JOIN_GATEWAY", "join", { nextStep: "d" }),
      step("DECISION", "d", { conditionalNextSteps: { "true == true": "s" } }),
      service("s", "end", { retry: { retries: 3, base: "PT1S" }, timeout: { run: "PT1M" } }),
      end(),
    ])
    for (const document of [linear(), forked(), every])
      expect((await post("/v1/definitions", document)).status).toBe(201)
    await post("/v1/definitions", { ...linear(), description: "described", priority: "high" })
    await post("/v1/definitions", { id: "bad" })
    await call("POST /v1/definitions", { raw: "x", headers: { "content-type": "text/plain" } })
    await call("GET /v1/definitions?keyword=e&pageSize=2")
    await call("GET /v1/definitions?page=-1")
    for (const id of ["linear", "forked", "every"]) await call(`GET /v1/definitions/${id}`)
    await call("GET /v1/definitions/nobody")
    for (const tail of ["versions", "activity", "activity?olderThan=PT1M", "activity?olderThan=soon"])
      for (const id of ["linear", "nobody"]) await call(`GET /v1/definitions/${id}/${tail}`)
    await call("GET /v1/definitions/linear/versions/1")
    await call("GET /v1/definitions/linear/versions/x")
  })

  test("C-33: instances", async () => {
    const { id } = await start("linear", {
      variables: { a: 1 },
      businessKey: "k",
      priority: "critical",
      linkingId: "l",
    })
    await post("/v1/instances", {})
    await post("/v1/instances", { definitionId: "nobody" })
    await post("/v1/instances", { definitionId: "linear", businessKey: "k" })
    await post("/v1/instances", { definitionId: "linear" }, { "idempotency-key": "c" })
    await post("/v1/instances", { definitionId: "linear" }, { "idempotency-key": "c" })
    await post("/v1/instances", { definitionId: "forked" }, { "idempotency-key": "c" })
    await call("GET /v1/instances?pageSize=1")
    await call("GET /v1/instances?status=nonsense")
    await call("GET /v1/search?prefix=0")
    await call("GET /v1/search")
    const every = await start("every")
    for (const instance of [id, every.id]) {
      for (const tail of ["", "/history", "/audit", "/steps", "/waiting"])
        await call(`GET /v1/instances/${instance}${tail}`)
    }
    for (const tail of ["", "/history", "/audit", "/steps", "/waiting"])
      await call(pathFor(`GET /v1/instances/{instanceId}${tail}`))
    await post(`/v1/instances/${every.id}/signals/w`, { paid: true })
    await post(`/v1/instances/${every.id}/signals/w`)
    await post(`/v1/instances/${every.id}/signals/s`)
    await post(`/v1/instances/${every.id}/signals/w`, [])
    await post(`/v1/instances/${id}/cancel`, { reason: "enough" })
    await post(`/v1/instances/${id}/cancel`)
    await post(pathFor("/v1/instances/{instanceId}/cancel"))
    await call(`GET /v1/instances/${id}`)
  })

  test("C-33: user tasks", async () => {
    const { id } = await start("every")
    const { items } = (await call("GET /v1/user-tasks?group=g&pageSize=1")).body
    await call("GET /v1/user-tasks?status=x")
    await call(`GET /v1/user-tasks/${items[0].id}`)
    await post(`/v1/user-tasks/${items[0].id}/claim`, { assignee: "maria" })
    await post(`/v1/user-tasks/${items[0].id}/claim`, { assignee: "otto" })
    await post(`/v1/user-tasks/${items[0].id}/claim`, {})
    for (const assignee of ["otto", "maria", undefined])
      await post(`/v1/user-tasks/${items[0].id}/unclaim`, assignee === undefined ? undefined : { assignee })
    await post(`/v1/user-tasks/${items[0].id}/delegate`, { assignee: "otto", from: "maria" })
    await post(`/v1/user-tasks/${items[0].id}/delegate`, { assignee: "zoe", from: "maria" })
    await post(`/v1/user-tasks/${items[0].id}/delegate`, {})
    for (const dueAt of ["2030-01-01T08:00:00Z", "tomorrow", undefined])
      await post(`/v1/user-tasks/${items[0].id}/due`, dueAt === undefined ? {} : { dueAt })
    await call(pathFor("GET /v1/user-tasks/{userTaskId}"))
    await post(`/v1/instances/${id}/user-tasks/u/complete`, { completedBy: "maria", result: { a: true } })
    await post(`/v1/instances/${id}/user-tasks/u/complete`)
    await post(`/v1/instances/${id}/user-tasks/s/complete`)
    await post(`/v1/instances/${id}/user-tasks/u/complete`, { variables: {}, result: {} })
    await call("GET /v1/user-tasks?status=COMPLETED")
  })

  test("C-33: jobs", async () => {
    await post("/v1/definitions", workflow("job", [service("j", undefined, { retryCount: 1 })]))
    const work = { workerId: "w" }
    const claim = async () => (await post("/v1/jobs/poll", { ...work, jobTypes: ["j"], waitSeconds: 5 })).body.jobs[0]
    const { id } = await start("job", { businessKey: "b", variables: { deep: { list: [1] } } })
    const job = await claim()
    const holder = { ...work, leaseToken: job.leaseToken }
    await call(`GET /v1/instances/${id}/waiting`)
    await post("/v1/jobs/poll", {})
    await post(`/v1/jobs/${job.id}/heartbeat`, holder)
    await post(`/v1/jobs/${job.id}/heartbeat`, { workerId: "x" })
    await post(`/v1/jobs/${job.id}/fail`, { ...holder, retryable: true, errorMessage: "later", retryAfter: 0 })
    await post(`/v1/jobs/${job.id}/fail`, {})
    await post("/v1/jobs/fail", { jobId: job.id, ...holder, retryable: true, errorMessage: "later", retryAfter: 0 })
    await post(`/v1/jobs/${job.id}/complete`, holder)
    await post(pathFor("/v1/jobs/{jobId}/complete"), holder)
    const again = await claim()
    const second = { ...work, leaseToken: again.leaseToken }
    await call(`GET /v1/instances/${id}/history`)
    await call("GET /v1/definitions/job/activity")
    await post("/v1/jobs/fail", { jobId: again.id, ...second, retryable: false, errorMessage: "no" })
    await call(`GET /v1/instances/${id}`)
    await post(`/v1/instances/${id}/steps/j/retry`, { variables: { a: 1 } })
    await post(`/v1/instances/${id}/steps/j/retry`)
    const failing = { ...work, leaseToken: (await claim()).leaseToken }
    await post(`/v1/jobs/${id}-0002/fail`, { ...failing, retryable: false, errorMessage: "no" })
    await post(`/v1/instances/${id}/retry`, { variables: { a: 1 } })
    await post(`/v1/instances/${id}/retry`)
    const third = await claim()
    await post(`/v1/jobs/${third.id}/complete`, { ...work, leaseToken: third.leaseToken, variables: { done: true } })
    await post("/v1/jobs/complete", { jobId: third.id, ...work, leaseToken: third.leaseToken })
    const restarted = await post(`/v1/instances/${id}/restart`, { variables: { a: 2 } })
    await post(`/v1/instances/${restarted.body.id}/cancel`)
    await start("job")
    const fourth = await claim()
    const completed = [
      { jobId: fourth.id, leaseToken: fourth.leaseToken },
      { jobId: "nobody", leaseToken: "x" },
    ]
    await start("job")
    const { jobs } = (await post("/v1/jobs/exchange", { ...work, completed, poll: { jobTypes: ["j"] } })).body
    expect(jobs).toHaveLength(1)
    await post("/v1/jobs/exchange", {})
    await drive(server.engine.kernel, "w").complete(jobs[0])
  })

  test("C-33: jobs that stand alone", async () => {
    const every = { key: "k", delay: "PT1S", timeout: "PT5S", retries: 2, fair_key: "t", downstream: "psp" }
    const groups = { limit: { key: "l", max: 2 }, unique: { key: "u", for: "PT1M" }, retry: { base: "PT1S" } }
    await post("/jobs", { payload: { type: "alone" }, priority: "high", ...every, ...groups })
    const { id } = (await post("/jobs", { type: "alone", payload: {} }, { "idempotency-key": "j" })).body
    await post("/jobs", { type: "alone", payload: {} }, { "idempotency-key": "j" })
    await post("/jobs", { type: "alone", payload: {}, unique: groups.unique })
    await post("/jobs", {})
    await post("/jobs/bulk", { jobs: [{ type: "alone", payload: {} }] })
    await post("/jobs/bulk", { jobs: [{}] })
    await post("/v1/jobs/poll", { workerId: "w", jobTypes: ["alone"] })
    for (const job of [id, "nobody"]) await call(`GET /jobs/${job}`)
    for (const job of [id, id, "nobody"]) await post(`/jobs/${job}/cancel`, { reason: "enough" })
    await call(`GET /jobs/${id}`)
    for (const status of ["ready", "leased", "delayed", "held", "done"]) await call(`GET /v1/jobs?status=${status}`)
    await call("GET /v1/jobs?jobType=alone&priority=high&pageSize=1&cursor=x")
    await call("GET /v1/jobs/ended?jobType=alone&status=CANCELLED&priority=normal&pageSize=1")
    await call("GET /v1/jobs/ended?status=ended")
    for (const job of [id, "nobody"]) await call(`GET /v1/jobs/${job}/attempts`)
    const { jobId } = (await post(`/v1/jobs/${id}/rerun`, undefined, { "idempotency-key": "again" })).body
    await post(`/v1/jobs/${id}/rerun`, undefined, { "idempotency-key": "again" })
    for (const job of [jobId, "nobody"]) await post(`/v1/jobs/${job}/rerun`)
  })

  test("C-33: intake and wakeups", async () => {
    await post("/v1/definitions", workflow("list", [service("first"), service("second")], { execution: "steplist" }))
    const key = { "idempotency-key": "in-1" }
    for (const body of [{ email: "ada@example.org" }, { email: "other@example.org" }])
      await post("/v1/intake/list?linkingId=l-1", body, key)
    await post("/v1/intake/list", {})
    await post("/v1/intake/list", [], key)
    await post("/v1/intake/nobody", {}, key)
    await call("GET /v1/intake/list/in-1")
    await call("GET /v1/intake/list/in-2")
    await post("/v1/wakeups", { linkingId: "l-1" }, key)
    await post("/v1/wakeups", { linkingId: "l-1" }, key)
    await post("/v1/wakeups", {})
  })

  test("C-33: schedules", async () => {
    const spec = {
      cron: "0 3 * * *",
      timezone: "Europe/Berlin",
      definitionId: "linear",
      input: { a: 1 },
      priority: "high",
    }
    await post("/v1/schedules", { id: "s", ...spec }, { "idempotency-key": "s" })
    await post("/v1/schedules", { id: "s", ...spec }, { "idempotency-key": "s" })
    await post("/v1/schedules", { id: "s", ...spec })
    await post("/v1/schedules", { cron: "61 * * * *", jobType: "j" })
    await call("PUT /v1/schedules/s", { body: { ...spec, overlap: "queue" } })
    await call("PUT /v1/schedules/t", { body: { cron: "@daily", jobType: "t", enabled: false } })
    await call("PUT /v1/schedules/t", { body: { cron: "@daily" } })
    await call("PATCH /v1/schedules/t", { body: { ...spec, overlap: "queue", catchUp: "all", enabled: true } })
    await call("PATCH /v1/schedules/t", { body: { jobType: "t" } })
    await call("PATCH /v1/schedules/t", { body: {} })
    await call("PATCH /v1/schedules/nowhere", { body: { enabled: true } })
    for (let n = 0; n < 2; n++) await post("/v1/schedules/s/run")
    await post("/v1/schedules/never/run")
    for (const path of ["", "?pageSize=1", "?cursor=x", "/s", "/t", "/never", "/s/runs?pageSize=1", "/s/runs?cursor=x"])
      await call(`GET /v1/schedules${path}`)
    await call("DELETE /v1/schedules/t")
    await call("DELETE /v1/schedules/t")
  })

  test("C-33: what operators turn", async () => {
    await call("GET /queues/metrics")
    await call("PATCH /queues/weights", { body: { critical: 50, high: 30, normal: 20 } })
    await call("PATCH /queues/weights", { body: { critical: 50, high: 30, normal: 30 } })
    await call("GET /queues/weights")
    await call("DELETE /queues/weights")
    await call("PUT /queues/watermarks", { body: { normal: { high: 500, low: 50 } } })
    await call("PUT /queues/watermarks", { body: { normal: { high: 500, low: 500 } } })
    await call("GET /queues/watermarks")
    await call("DELETE /queues/watermarks")
    for (const name of ["normal", "urgent"]) {
      await post(`/queues/${name}/pause`, { reason: "x" })
      await post(`/queues/${name}/resume`)
    }
    for (const name of ["mail", ""]) await post("/v1/pauses", { kind: "jobType", name, reason: "x" })
    await call("GET /v1/pauses")
    for (const kind of ["jobType", "world"]) await call(`DELETE /v1/pauses/${kind}/mail`)
    for (const perSecond of [2, -2])
      await call("PUT /v1/downstreams/mail", { body: { perSecond, concurrency: 3, adaptive: true } })
    for (const path of ["/v1/downstreams", "/v1/downstreams/mail", "/v1/downstreams/nobody"]) await call(`GET ${path}`)
    await call("DELETE /v1/downstreams/mail")
    for (const timeout of ["PT1M", "soon"]) await call("PUT /v1/job-types/mail", { body: { timeout } })
    for (const path of ["/v1/job-types", "/v1/workers"]) await call(`GET ${path}`)
    await post("/v1/definitions", workflow("asked", [service("asked")]))
    await start("asked")
    const { jobs } = (await post("/v1/jobs/poll", { workerId: "w", jobTypes: ["asked"] })).body
    for (const id of [jobs[0].id, "nobody"]) await call(`GET /v1/jobs/${id}/waiting`)
    await call("GET /v1/workers")
    await drive(server.engine.kernel, "w").complete(jobs[0])
  })

  test("C-33: dead letters", async () => {
    const worker = drive(server.engine.kernel)
    for (const type of ["dying", "dying", "gone"]) {
      await post("/jobs", { type, payload: { n: 1 } })
      await worker.fail(await worker.claimOne(type), "beyond help", false)
    }
    const { items } = (await call("GET /queues/dlq?type=dying&limit=1")).body
    await call("GET /queues/dlq?limit=x")
    await call("GET /queues/dlq/groups")
    for (const id of [items[0].id, "nobody"]) {
      await call(`GET /queues/dlq/${id}`)
      await post(`/queues/dlq/${id}/replay`)
      await post(`/queues/dlq/${id}/replay`)
      await call(`DELETE /queues/dlq/${id}`)
    }
    for (const action of ["replay", "discard"]) {
      await post(`/queues/dlq/${action}`, { filter: { type: "dying" }, dryRun: true })
      await post(`/queues/dlq/${action}`, {})
    }
    const [gone] = (await call("GET /queues/dlq?type=gone")).body.items
    await call(`DELETE /queues/dlq/${gone.id}`)
  })

  test("C-33: events", async () => {
    const { kernel } = server.engine
    await post("/v1/events", { type: "t", payload: {}, key: "k", headers: { a: "b" } })
    await post("/v1/events", {})
    await post("/v1/events/bulk", { events: [{ type: "t", payload: {} }] })
    const ids = [await parkEvent(kernel, "billing"), await parkEvent(kernel, "billing")]
    for (const query of ["", "?pageSize=1", "?cursor=x"]) await call(`GET /v1/events/parked${query}`)
    await call("GET /v1/sinks")
    for (const id of [ids[0], "nobody"]) await post(`/v1/events/parked/billing/${id}/replay`)
    for (const id of [ids[1], "nobody"]) await call(`DELETE /v1/events/parked/billing/${id}`)
    for (const action of ["replay", "discard"])
      for (const filter of [{ sink: "billing" }, { sink: "nobody" }, {}])
        await post(`/v1/events/parked/${action}`, { filter })
    for (const reason of ["moved", "moved", undefined]) await post("/v1/sinks/billing/forget", { reason })
  })

  test("C-33: bulk and operations", async () => {
    const { body } = await post("/v1/instances/bulk", { action: "retry", filter: { status: "FAILED" }, dryRun: true })
    await post("/v1/instances/bulk", { action: "retry", filter: {} })
    await call(`GET /v1/bulk/${body.id}`)
    await call(pathFor("GET /v1/bulk/{bulkId}"))
    for (const path of ["/healthz", "/readyz", "/health", "/metrics", "/openapi.json", "/debug/config"])
      await call(`GET ${path}`)
    for (const path of ["/v1/overview", "/v1/stream", "/v1/stats", "/v1/stats?window=P1D"]) await call(`GET ${path}`)
    for (const path of ["/v1/stats?window=P1W", "/v1/stream?instanceId=a%20b"]) await call(`GET ${path}`)
    const draining = await createTestServer({ engine: server.engine, draining: () => true })
    const away = await createTestServer({ engine: server.engine, ready: () => false, shownSettings: undefined })
    const none = await away.call("GET /debug/config")
    seen.add(`GET /debug/config ${none.status}`)
    for (const other of [draining, away]) {
      const reply = await other.call("GET /readyz")
      expect(reply.status).toBe(503)
      expect(contract.faultsOf("GET", "/readyz", reply)).toEqual([])
      await other.close()
    }
  })

  test("C-33: the dashboard's session", async () => {
    await call("GET /v1/session")
    for (const key of [undefined, 1, "mill_wrong"]) await post("/v1/session", { key })
    const findKey = async () => ({ id: "k", name: "ada", scopes: ["admin"] })
    const guarded = await createTestServer({ engine: server.engine, auth: "required", findKey })
    for (const route of ["POST", "GET", "DELETE"].map((method) => `${method} /v1/session`)) {
      const reply = await guarded.call(route, route.startsWith("POST") ? { body: { key: "mill_right" } } : {})
      expect(contract.faultsOf(route.split(" ")[0] as string, "/v1/session", reply)).toEqual([])
      seen.add(`${route} ${reply.status}`)
    }
    await guarded.close()
  })

  test("C-33: keys, and the guard", async () => {
    await callKeyRoutes(call)
    await callGuardRoutes(call)
  })

  test("C-33: users", async () => {
    const keys = secretKeys(["0123456789abcdef0123456789abcdef"])
    const { kernel } = server.engine
    const tokens = new Tokens(kernel, { own: { issuer: "millrace", audience: "millrace", keys } })
    const own = await createTestServer({ engine: server.engine, people: { registration: true, tokens } })
    const ada = { username: "ada", email: "ada@example.com", password: "plum otter lantern" }
    const newPassword = "seven quiet herons"
    for (const [route, body] of [
      ["POST /auth/register", ada],
      ["POST /auth/register", ada],
      ["POST /auth/register", { ...ada, password: "x" }],
      ["POST /auth/login", ada],
      ["POST /auth/login", { ...ada, password: "x" }],
      ["POST /auth/password", { ...ada, newPassword }],
      ["POST /auth/password", { ...ada, newPassword }],
      ["GET /.well-known/jwks.json", undefined],
    ] as const)
      seen.add(`${route} ${(await own.call(route, { body })).status}`)
    await own.close()
    await post("/auth/register", ada)
    await post("/auth/login", ada)
  })

  test("C-33: the dashboard's page", async () => {
    for (const path of ["/", "/ui", "/docs"]) expect((await call(`GET ${path}`)).status).toBe(302)
    for (const path of ["index.html", "instances", "missing.js"]) await call(`GET /ui/${path}`)
    const bare = await createTestServer({ engine: server.engine, uiFolder: new URL("nowhere/", ui.url) })
    const reply = await bare.call("GET /ui/x")
    expect([reply.status, contract.faultsOf("GET", "/ui/x", reply)]).toEqual([503, []])
    await bare.close()
  })

  test("C-33: every refusal is the contract's error, and its code is in the catalogue", async () => {
    const codes = new Set<string>()
    for (const name of contract.operations.keys()) {
      const [method, template] = name.split(" ") as [string, string]
      if (method === "GET") continue
      const route = `${method} ${pathFor(template)}`
      const isForAnyone = template === "/v1/session" || template.startsWith("/auth/")
      const replies = [
        await call(route, { raw: "{", headers: { "content-type": "application/json" } }),
        await call(route, { raw: "x", headers: { "content-type": "text/plain" } }),
        await call(route, { raw: "x".repeat(1_100_000), headers: { "content-type": "application/json" } }),
        await call(route, { body: {}, headers: { "sec-fetch-site": "cross-site" } }),
        ...(isForAnyone ? [] : [await call(route, { body: {}, headers: { authorization: "Bearer x" } })]),
      ]
      expect(replies.map(({ status }) => status)).toEqual([400, 415, 413, 403, ...(isForAnyone ? [] : [401])])
      for (const { body } of replies) codes.add(body.error)
    }
    for (const code of codes) expect(Object.keys(errorCatalogue)).toContain(code)
  })

  test("C-33: every answer of success that the contract promises was seen", () => {
    const promised = [...contract.operations].flatMap(([name, { responses }]) =>
      Object.keys(responses)
        .filter((status) => status.startsWith("2"))
        .map((status) => `${name} ${status}`),
    )
    expect(promised.filter((answer) => !seen.has(answer))).toEqual([])
  })

  test("C-33: /openapi.json is the contract", async () => {
    const { body } = await call("GET /openapi.json")
    expect(body).toEqual(JSON.parse(JSON.stringify(contract.document)))
  })

  test("the judge has teeth", () => {
    const reply = (status: number, body: unknown) => ({
      status,
      body,
      text: JSON.stringify(body),
      headers: new Headers(),
    })
    const instance = "/v1/instances/01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
    expect(contract.faultsOf("GET", instance, reply(200, { id: "x" }))).not.toEqual([])
    expect(contract.faultsOf("GET", instance, reply(404, { error: "Not Found" }))).not.toEqual([])
    expect(contract.faultsOf("POST", `${instance}/signals/w`, reply(204, {}))).not.toEqual([])
    expect(contract.faultsOf("GET", "/v2", reply(200, {}))).not.toEqual([])
    expect(contract.faultsOf("GET", "/v1/job-types", reply(200, { items: [{ name: "a" }] }))).toEqual([])
    expect(contract.faultsOf("GET", "/v1/job-types", reply(200, { items: [{ name: "a", colour: "red" }] }))).toEqual([
      "GET /v1/job-types 200 /items/0 must NOT have unevaluated properties: colour",
    ])
    const weights = { critical: 60, high: 30, normal: 10, source: "config" }
    expect(contract.faultsOf("GET", "/queues/weights", reply(200, weights))).toEqual([])
    expect(contract.faultsOf("GET", "/queues/weights", reply(200, { ...weights, low: 0 }))).not.toEqual([])
  })
})
