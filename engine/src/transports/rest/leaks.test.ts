import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Principal } from "../../operations/people/api-keys.ts"
import { linear, service, step, workflow } from "../../test-support/definitions.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"

const CANARY = "canary7f3a"
const TELLING =
  /canary7f3a|node_modules|\/src\/|\.ts\b|\.js\b|\bat \S+ \(|select |insert |update |millrace\.|FST_|fastify|relation|postgres|syntax error|pg_|stack|cause|SqlState/i

let engine: TestEngine
let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)
const worker: Principal = { id: "k", name: "worker", scopes: ["jobs:work"] }

beforeAll(async () => {
  process.env.LEAK_CANARY = CANARY
  engine = await createTestEngine()
  server = await createTestServer({ engine, keys: { [`mill_${CANARY}`]: worker } })
  await engine.upload(linear())
  await engine.upload(workflow("secret", [service("s")]))
  await engine.upload(workflow("task", [step("USER_TASK", "ask")]))
})
afterAll(async () => {
  await server.close()
  await engine.close()
  delete process.env.LEAK_CANARY
})

describe("SEC-06: refusals say nothing about the inside", () => {
  const json = { "content-type": "application/json" }
  const provoke: [string, number, () => Promise<Reply>][] = [
    ["bad-request", 400, () => call("POST /v1/instances", { body: {} })],
    ["bad-request", 400, () => call("POST /v1/instances", { raw: "{", headers: json })],
    ["bad-request", 400, () => call("GET /v1/instances/%zz")],
    ["unauthenticated", 401, () => call("GET /v1/instances", { headers: { authorization: "Bearer x" } })],
    ["forbidden", 403, () => call("GET /v1/instances", { headers: { authorization: `Bearer mill_${CANARY}` } })],
    ["not-found", 404, () => call("GET /v1/definitions/nobody")],
    ["not-found", 404, () => call("GET /nowhere")],
    ["method-not-allowed", 405, () => call("DELETE /v1/instances")],
    [
      "lease-lost",
      409,
      () => call("POST /v1/jobs/01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0001/heartbeat", { body: { workerId: "w" } }),
    ],
    ["payload-too-large", 413, () => call("POST /v1/instances", { raw: "x".repeat(1_100_000), headers: json })],
    [
      "unsupported-format",
      415,
      () => call("POST /v1/instances", { raw: "x", headers: { "content-type": "text/plain" } }),
    ],
  ]

  test.each(provoke)("SEC-06: %s (%d)", async (code, status, run) => {
    const reply = await run()
    expect([reply.status, reply.body.error]).toEqual([status, code])
    expect(reply.text).not.toMatch(TELLING)
    expect([...reply.headers].join()).not.toMatch(/fastify|node|express|x-powered-by/i)
    expect(reply.headers.get("server")).toBeNull()
  })

  test("SEC-06: a fault of ours is a constant and an id to find it by; the log has the rest", async () => {
    const broken = await createTestServer({
      engine,
      ready: () => {
        throw Object.assign(new Error(`select '${CANARY}' from millrace.api_keys`), { code: "42703", detail: CANARY })
      },
    })
    const reply = await broken.call("GET /readyz")
    expect(reply.status).toBe(500)
    expect(Object.keys(reply.body)).toEqual(["error", "message", "requestId"])
    expect(reply.body.error).toBe("internal-error")
    expect(reply.text).not.toMatch(TELLING)
    const fault = broken.lines.find(({ msg }) => msg === "a fault of ours")
    expect(fault).toMatchObject({ level: "error", requestId: reply.body.requestId })
    await broken.close()
  })

  test("SEC-06: a database that is not as expected is a fault of ours", async () => {
    const own = await createTestEngine()
    const broken = await createTestServer({ engine: own })
    await own.db.script("alter table millrace.definitions rename to canary7f3a_definitions")
    const reply = await broken.call("GET /v1/definitions")
    expect([reply.status, reply.body.error]).toEqual([500, "internal-error"])
    expect(reply.text).not.toMatch(TELLING)
    await broken.close()
    await own.close()
  })
})

describe("SEC-54, SEC-55: what the log never holds", () => {
  test("SEC-55: no key, token, body, id or query of a caller", async () => {
    server.lines.length = 0
    const headers = { authorization: `Bearer mill_${CANARY}`, cookie: `session=${CANARY}`, "x-api-key": CANARY }
    await call("GET /v1/instances", { headers })
    const cookie = `millrace-session=${CANARY}; __Host-millrace-session=${CANARY}`
    for (const method of ["GET", "POST", "DELETE"])
      await call(`${method} /v1/session`, {
        headers: { cookie },
        ...(method === "POST" ? { body: { key: CANARY } } : {}),
      })
    await call("POST /v1/session", { body: { key: `mill_${CANARY}` } })
    const { body } = await call("POST /v1/instances", {
      body: { definitionId: "secret", variables: { card: CANARY }, businessKey: CANARY },
      headers: { "idempotency-key": CANARY },
    })
    await call(`GET /v1/instances?businessKey=${CANARY}`)
    await call(`GET /v1/instances/${CANARY}`)
    await call(`GET /${CANARY}?${CANARY}`)
    await call("POST /v1/instances", { raw: `{"${CANARY}`, headers: { "content-type": "application/json" } })
    const { jobs } = (await call("POST /v1/jobs/poll", { body: { workerId: CANARY, jobTypes: ["s"] } })).body
    await call(`POST /v1/jobs/${jobs[0].id}/heartbeat`, { body: { workerId: "x", leaseToken: jobs[0].leaseToken } })
    await call(`POST /v1/jobs/${jobs[0].id}/complete`, { body: { workerId: "x", leaseToken: `1.${CANARY}` } })
    await call(`POST /v1/jobs/${jobs[0].id}/complete`, {
      body: { workerId: CANARY, leaseToken: jobs[0].leaseToken, variables: { a: CANARY } },
    })
    const log = JSON.stringify(server.lines)
    expect(server.lines.length).toBeGreaterThan(5)
    expect(log).not.toContain(CANARY)
    expect(log).not.toContain(jobs[0].leaseToken)
    expect(log).not.toContain(jobs[0].id)
    expect(log).not.toContain(body.id)
  })

  test("SEC-54: a caller cannot write lines or fields of their own", async () => {
    server.lines.length = 0
    const inject = '{"level":"error","msg":"forged"}'
    await call("GET /v1/instances", {
      headers: { "x-request-id": inject, traceparent: inject, "user-agent": `a${inject}` },
    })
    await call(`GET /v1/definitions/${encodeURIComponent(`\n${inject}\u001b[31m\u202e`)}`)
    expect(server.lines).toHaveLength(2)
    expect(JSON.stringify(server.lines)).not.toMatch(/forged|\\u001b|\u202e/)
  })

  test("SEC-65: what a caller sends is no metric label", async () => {
    const text = await engine.kernel.metrics.registry.metrics()
    expect(text).not.toContain(CANARY)
  })
})
