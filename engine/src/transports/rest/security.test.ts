import { Agent, METHODS, request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Principal } from "../../operations/people/api-keys.ts"
import { linear, service, workflow } from "../../test-support/definitions.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createMetricsServer } from "./server.ts"
import { ACCESS } from "./test-support/access.ts"
import { everyRoute, pathFor, requestFor } from "./test-support/every-route.ts"
import { rawRequest } from "./test-support/raw-http.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

const SCOPES = [
  "definitions:read",
  "definitions:write",
  "instances:read",
  "instances:write",
  "jobs:work",
  "jobs:read",
  "jobs:write",
  "queues:write",
  "tasks:read",
  "tasks:write",
  "events:read",
  "events:write",
  "sinks:write",
  "metrics:read",
  "gateway",
  "admin",
]
const keys: Record<string, Principal> = Object.fromEntries(
  [...SCOPES, "jobs:work:mail"].map((scope) => [
    `key-${scope}`,
    { id: scope, name: `the ${scope} key`, scopes: [scope] },
  ]),
)
const bearer = (scope: string) => ({ authorization: `Bearer key-${scope}` })

const routes = everyRoute
const PUBLIC = new Set(["/healthz", "/readyz", "/health"])
/** The page of the dashboard, whether it has been built or not, and how to sign in to it. */
const PAGE = new Set(["/", "/ui", "/ui/{path}", "/docs", "/v1/session"])
/** How people come by a credential in the first place: a request without a body is told what is missing. */
const AUTH = /^\/(auth\/|\.well-known\/)/

let engine: TestEngine
let guarded: TestServer
let local: TestServer

beforeAll(async () => {
  engine = await createTestEngine()
  guarded = await createTestServer({ engine, keys, auth: "required", metricsOnRest: true })
  local = await createTestServer({ engine, keys, metricsOnRest: true })
  await engine.upload(linear())
  await engine.upload(workflow("mail", [service("mail")]))
  await engine.upload(workflow("pay", [service("pay")]))
})
afterAll(async () => {
  await guarded.close()
  await local.close()
  await engine.close()
})

describe("SEC-02: nothing without a key", () => {
  test.each(routes.map((route) => [requestFor(route), route] as const))("SEC-02: %s", async (call, { path }) => {
    const wrong = [{}, { authorization: "Bearer wrong" }, { authorization: "Basic YTpi" }, { authorization: "" }]
    for (const headers of wrong) {
      const { status, body, headers: answered } = await guarded.call(call, { headers })
      if (PUBLIC.has(path)) expect(status).toBe(200)
      else if (AUTH.test(path)) expect([200, 400, 404]).toContain(status)
      else if (PAGE.has(path)) expect([200, 204, 302, 400, 503]).toContain(status)
      else {
        expect([status, body.error]).toEqual([401, "unauthenticated"])
        expect(answered.get("www-authenticate")).toBe("Bearer")
      }
    }
  })

  test("SEC-02: beyond loopback `auto` means required", async () => {
    const server = await createTestServer({ engine, keys, bindIsLoopback: false })
    expect((await server.call("GET /v1/instances")).status).toBe(401)
    expect((await server.call("GET /v1/instances", { headers: bearer("instances:read") })).status).toBe(200)
    await server.close()
  })

  test("SEC-02: on loopback a caller without a key may do everything, one with a bad key nothing", async () => {
    expect((await local.call("GET /v1/instances")).status).toBe(200)
    expect((await local.call("GET /v1/instances", { headers: { authorization: "Bearer wrong" } })).status).toBe(401)
  })
})

describe("SEC-25, SEC-27: every route has its permission", () => {
  test("SEC-25: no route is without one", () => {
    const declared = Object.fromEntries(routes.map(({ method, path, permission }) => [`${method} ${path}`, permission]))
    expect(declared).toEqual(Object.fromEntries(Object.entries(ACCESS).map(([route, { scope }]) => [route, scope])))
  })

  test.each(routes.map((route) => [requestFor(route), route] as const))(
    "SEC-27: %s",
    async (call, { method, path }) => {
      const needs = ACCESS[`${method} ${path}`]!.scope
      for (const scope of SCOPES) {
        const { status, body } = await guarded.call(call, { headers: bearer(scope) })
        const isOpen = needs === "anyone" || needs === "any-key" || (needs === "any-scope" && scope !== "gateway")
        const allowed = needs === scope || scope === "admin" || isOpen
        if (allowed) expect([401, 403]).not.toContain(status)
        else expect([status, body.error]).toEqual([403, "forbidden"])
      }
    },
  )

  test("SEC-27: who did it is the key, not what the caller says", async () => {
    const { body } = await guarded.call("POST /v1/instances", {
      body: { definitionId: "pay" },
      headers: bearer("instances:write"),
    })
    const poll = { workerId: "admin", jobTypes: ["pay"] }
    const { jobs } = (await guarded.call("POST /v1/jobs/poll", { body: poll, headers: bearer("jobs:work") })).body
    const done = { workerId: "admin", leaseToken: jobs[0].leaseToken }
    await guarded.call(`POST /v1/jobs/${jobs[0].id}/complete`, { body: done, headers: bearer("jobs:work") })
    const { items } = (await guarded.call(`GET /v1/instances/${body.id}/audit`, { headers: bearer("instances:read") }))
      .body
    const actors = items.map(({ kind, actor }: { kind: string; actor: string }) => `${kind} ${actor}`)
    expect(actors).toContain("INSTANCE_STARTED the instances:write key")
    expect(actors).toContain("JOB_COMPLETED the jobs:work key")
  })
})

describe("SEC-31: a worker's key that is limited to a job type", () => {
  const headers = bearer("jobs:work:mail")
  const work = (path: string, body: object) =>
    guarded.call(`POST /v1/jobs/${path}`, { body: { workerId: "w", ...body }, headers })
  const start = (definitionId: string) => local.call("POST /v1/instances", { body: { definitionId } })

  test("SEC-31: polls for that type and for no other", async () => {
    const mail = (await start("mail")).body
    const pay = (await start("pay")).body
    for (const jobTypes of [["pay"], ["mail", "pay"]]) {
      expect((await work("poll", { jobTypes })).body.error).toBe("forbidden")
      expect((await work("exchange", { poll: { jobTypes } })).body.error).toBe("forbidden")
    }
    const { jobs } = (await work("poll", { jobTypes: ["mail"] })).body
    expect(jobs).toMatchObject([{ instanceId: mail.id }])
    // A refused exchange has reported nothing either.
    const completed = [{ jobId: jobs[0].id, leaseToken: jobs[0].leaseToken }]
    expect((await work("exchange", { completed, poll: { jobTypes: ["pay"] } })).status).toBe(403)
    expect((await local.call(`GET /v1/instances/${mail.id}`)).body.status).toBe("ACTIVE")
    expect((await work("exchange", { completed, poll: { jobTypes: ["mail"] } })).body.results).toMatchObject([
      { outcome: "accepted" },
    ])
    const others = await local.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["pay"] } })
    expect(others.body.jobs).toMatchObject([{ instanceId: pay.id, attempt: 1 }])
  })

  test("SEC-31: reports only with the token of its own claim", async () => {
    await start("pay")
    const { jobs } = (await local.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["pay"] } })).body
    expect((await work(`${jobs[0].id}/complete`, {})).status).toBe(403)
    expect((await work("complete", { jobId: jobs[0].id })).status).toBe(403)
    expect((await work(`${jobs[0].id}/fail`, { retryable: false, errorMessage: "x" })).status).toBe(403)
    expect((await work(`${jobs[0].id}/heartbeat`, {})).status).toBe(403)
    expect((await local.call(`GET /v1/instances/${jobs[0].instanceId}`)).body.status).toBe("ACTIVE")
  })

  test("SEC-31: reads no instance", async () => {
    const { body } = await start("mail")
    expect((await guarded.call(`GET /v1/instances/${body.id}`, { headers })).status).toBe(403)
  })
})

describe("SEC-03: web pages", () => {
  const post = (headers: string, body = '{"definitionId":"linear"}') =>
    rawRequest(
      local.url,
      `POST /v1/instances HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  const started = async () => (await local.call("GET /v1/instances?definitionId=linear")).body.total

  test("SEC-03: a rebound name is refused, for reading and for health too", async () => {
    for (const path of ["/v1/instances", "/healthz", "/metrics", "/openapi.json", "/nowhere"]) {
      const reply = await rawRequest(local.url, `GET ${path} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`)
      expect(reply).toMatch(/^HTTP\/1\.1 421 .*"error":"misdirected-request"/s)
    }
    expect(await rawRequest(local.url, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 421/)
    expect(await rawRequest(local.url, "GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 421/)
  })

  test.each([
    [
      "a form of another site",
      "Host: localhost\r\nOrigin: https://evil.test\r\nContent-Type: application/x-www-form-urlencoded\r\n",
      403,
    ],
    ["JSON as text/plain", "Host: localhost\r\nContent-Type: text/plain\r\n", 415],
    [
      "fetch without cors",
      "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nContent-Type: text/plain\r\n",
      403,
    ],
    [
      "JSON from another site",
      "Host: localhost\r\nOrigin: https://evil.test\r\nContent-Type: application/json\r\n",
      403,
    ],
    [
      "JSON from another port",
      "Host: localhost:8080\r\nOrigin: http://localhost:3000\r\nSec-Fetch-Site: same-site\r\nContent-Type: application/json\r\n",
      403,
    ],
    [
      "JSON to a rebound name",
      "Host: evil.test\r\nOrigin: http://evil.test\r\nContent-Type: application/json\r\n",
      421,
    ],
    ["no type at all", "Host: localhost\r\n", 415],
  ])("SEC-03: %s is refused and starts nothing", async (_, headers, status) => {
    const before = await started()
    expect(await post(headers)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(await started()).toBe(before)
  })

  test("SEC-03: a page of our own may", async () => {
    const headers =
      "Host: localhost:8080\r\nOrigin: http://localhost:8080\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n"
    expect(await post(headers)).toMatch(/^HTTP\/1\.1 201 /)
  })
})

describe("SEC-07: methods and paths nobody declared", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  afterAll(() => agent.destroy())

  const send = (method: string, path: string) =>
    new Promise<{ status: number; allow: string | undefined; body: string }>((resolve, reject) => {
      const sent = request(local.url + path, { method, agent }, (response) => {
        let body = ""
        response.setEncoding("utf8").on("data", (text) => {
          body += text
        })
        response.on("end", () => resolve({ status: response.statusCode ?? 0, allow: response.headers.allow, body }))
      })
      sent.on("error", reject).end()
    })

  const methods = METHODS.filter((method) => method !== "CONNECT")
  /** What looks like an instance's id is one, to a GET. */
  const takes = (template: string, path: string) =>
    new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathFor(path))
  const withoutId = (body: string) => body.replace(/"requestId":"[^"]+"/, "")

  test("SEC-07: every other method of every route is 405 with the same body and the methods it knows", async () => {
    const bodies = new Set<string>()
    for (const path of new Set(routes.map((route) => route.path))) {
      const known = new Set<string>(routes.filter((route) => takes(route.path, path)).map((route) => route.method))
      if (known.has("GET")) known.add("HEAD")
      const others = methods.filter((method) => !known.has(method))
      const replies = await Promise.all(others.map((method) => send(method, pathFor(path))))
      for (const reply of replies) {
        expect(reply.status).toBe(405)
        expect(new Set(reply.allow?.split(", "))).toEqual(known)
        if (reply.body) bodies.add(withoutId(reply.body))
      }
    }
    expect([...bodies]).toEqual([expect.stringContaining('"error":"method-not-allowed"')])
  })

  test("a path that lacks /v1, or has it and should not, is 404 and told the right one", async () => {
    const told = async (path: string) => JSON.parse((await send("GET", path)).body).message
    expect(await told("/v1/jobs/01JN8Z3V5E8Q2R7W4Y6T9A1B3C")).toBe("there is no such route: it is /jobs/{jobId}")
    expect(await told("/instances/x")).toBe("there is no such route: it is /v1/instances/{instanceId}")
    expect(await told("/v1/nowhere")).toBe("there is no such route")
  })

  test("SEC-07: an unknown path is 404 with the same body, whatever the method", async () => {
    const bodies = new Set<string>()
    const paths = [
      "/v1",
      "/v1/",
      "/v1/instances/x/",
      "/v2/instances",
      "/V1/instances",
      "/admin",
      "/ui2",
      "/..%2f",
      "/v1/jobs/a/b/c",
      "//v1/instances",
      "/v1/instances/x/y",
      "/%00",
    ]
    for (const path of paths) {
      for (const { status, allow, body } of await Promise.all(methods.map((method) => send(method, path)))) {
        expect([path, status, allow]).toEqual([path, 404, undefined])
        if (body) bodies.add(withoutId(body))
      }
    }
    expect([...bodies]).toEqual([expect.stringContaining('"error":"not-found"')])
  })

  test("SEC-07: TRACE echoes nothing, CONNECT opens nothing", async () => {
    const secret = "X-Secret: canary-trace\r\n"
    const trace = await rawRequest(
      local.url,
      `TRACE /healthz HTTP/1.1\r\nHost: localhost\r\n${secret}Connection: close\r\n\r\n`,
    )
    expect(trace).toMatch(/^HTTP\/1\.1 405/)
    expect(trace).not.toContain("canary-trace")
    expect(await rawRequest(local.url, "CONNECT localhost:5432 HTTP/1.1\r\nHost: localhost\r\n\r\n")).not.toMatch(
      / 200 /,
    )
  })
})

describe("the metrics port", () => {
  test("SEC-02, SEC-03: has the same door, and nothing but metrics behind it", async () => {
    const open = await createMetricsServer(engine.kernel, local.options)
    const url = await open.listen(0, "127.0.0.1")
    const metrics = await fetch(`${url}/metrics`)
    expect(metrics.headers.get("content-type")).toContain("text/plain")
    expect(await metrics.text()).toContain("workflow_instances_started_total")
    expect((await fetch(`${url}/v1/instances`)).status).toBe(404)
    expect(await rawRequest(url, "GET /metrics HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n")).toMatch(
      / 421 /,
    )
    await open.close()

    const closed = await createMetricsServer(engine.kernel, guarded.options)
    const guardedUrl = await closed.listen(0, "127.0.0.1")
    const status = async (headers: Record<string, string>) => (await fetch(`${guardedUrl}/metrics`, { headers })).status
    expect([await status({}), await status(bearer("jobs:work")), await status(bearer("metrics:read"))]).toEqual([
      401, 403, 200,
    ])
    await closed.close()
  })

  test("metrics are on the REST port only when asked for", async () => {
    const server = await createTestServer({ engine })
    expect((await server.call("GET /metrics")).status).toBe(404)
    await server.close()
  })
})
