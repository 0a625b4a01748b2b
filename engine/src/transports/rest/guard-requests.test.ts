// What every request gets with the guard in front: an id, a line in the log, a place in the metrics; and which routes count.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createGuardedServer, type GuardedServer } from "./test-support/guarded-server.ts"
import type { Reply } from "./test-support/reply.ts"

let server: GuardedServer
let admin: string
beforeAll(async () => {
  server = await createGuardedServer()
  admin = await server.key()
  await server.call("GET /healthz", { ip: "10.9.9.9" })
})
afterAll(() => server.close())

const operate = (route: string, options = {}) => server.call(route, { ip: "10.9.9.9", key: admin }, options)
const metric = async (name: string): Promise<number> => {
  const { text } = await operate("GET /metrics")
  const line = text.split("\n").find((one) => one.startsWith(`${name} `))
  return Number(line?.split(" ").at(-1))
}
const count = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status).length

describe("E-02: every request", () => {
  test("E-02: has an id of its own, in the answer and in its line of the log, whatever became of it", async () => {
    await operate("POST /admin/block-ip/192.0.2.2")
    const replies = [
      await operate("GET /v1/instances"),
      await server.call("GET /v1/instances", { ip: "192.0.2.1" }),
      await server.call("GET /v1/instances", { ip: "192.0.2.1", key: "mill_wrong" }),
      await server.call("GET /v1/session", { ip: "192.0.2.2" }),
      await server.call("GET /nowhere", { ip: "192.0.2.1" }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 401, 403, 404])
    const ids = replies.map(({ headers }) => headers.get("x-request-id") as string)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [at, id] of ids.entries()) {
      const lines = server.lines.filter(({ requestId }) => requestId === id)
      expect(lines).toContainEqual(expect.objectContaining({ msg: "request", status: replies[at]?.status }))
    }
    expect(server.lines.filter(({ msg, requestId }) => msg === "request" && !requestId)).toEqual([])
  })

  test("E-02, E-24: is counted with its duration, by status and pattern of its route", async () => {
    const counted = 'requests_total{status_code="401",route="/v1/instances/{instanceId}"}'
    const before = await metric("request_duration_seconds_count")
    for (let n = 0; n < 3; n++) await server.call(`GET /v1/instances/${n}`, { ip: "192.0.2.3" })
    expect(await metric(counted)).toBe(3)
    // The three, and the page that told `before`.
    expect(await metric("request_duration_seconds_count")).toBeGreaterThanOrEqual(before + 3)
  })

  test("E-03: without a credential, and with one that is none, gets 401 and is told how to send one", async () => {
    for (const authorization of [undefined, "Bearer mill_wrong", "Bearer a.b.c", "Basic dTpw", "nonsense"]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const reply = await server.call("GET /v1/instances", { ip: "192.0.2.4" }, { headers })
      expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    }
  })
})

describe("E-24: the metrics of the rules", () => {
  test("E-24: a refusal by a limit, a detected abuse and a blocked agent are counted where they belong", async () => {
    await Promise.all(Array.from({ length: 103 }, () => server.call("GET /v1/session", { ip: "192.0.2.10" })))
    expect(await metric('rate_limit_rejections_total{route_class="public"}')).toBe(3)
    const visit = { routeClass: "client", address: "192.0.2.11", path: "/v1/instances", requestId: "r" } as const
    for (let n = 0; n < 10; n++) await server.guard.credentialFailed(visit, { digest: `guess ${n}` })
    await server.call("GET /v1/instances", { ip: "192.0.2.11", key: "mill_wrong" })
    const abuse = 'abuse_detections_total{state="soft-blocked",reason_type="failures-by-address"}'
    expect(await metric(abuse)).toBe(1)
    await operate("POST /admin/block-agent?user_agent=BadBot/1.0")
    await server.call("GET /v1/session", { ip: "192.0.2.12", agent: "BadBot/1.0" })
    expect(await metric('bloom_filter_hits_total{filter_type="abusive_agents"}')).toBe(1)
  })

  test("E-24: the pool tells how many connections are in use, and how many are more than are kept", async () => {
    const held = await server.engine.db.dedicated()
    expect(await metric("db_pool_checkedout")).toBeGreaterThanOrEqual(1)
    expect(await metric("db_pool_overflow")).toBeGreaterThanOrEqual(1)
    held.release()
  })
})

describe("E-08, E-42: which routes are limited by address", () => {
  const many = (route: string, ip: string, options = {}) =>
    Promise.all(Array.from({ length: 120 }, () => server.call(route, { ip }, options)))

  test("E-42: registering is, although the sign-in's other routes need a credential to be worth a guess", async () => {
    const body = { username: "ada", email: "ada@example.com", password: "plum otter lantern" }
    const replies = await many("POST /auth/register", "192.0.2.20", { body })
    expect([count(replies, 403), count(replies, 429)]).toEqual([100, 20])
  })

  test.each(["GET /health", "GET /healthz", "GET /readyz", "GET /docs"])("E-08: %s is not", async (route) => {
    expect(count(await many(route, "192.0.2.21"), 429)).toBe(0)
  })

  test("E-08: nor is a scrape of the metrics", async () => {
    const scrapes = Array.from({ length: 120 }, () => server.call("GET /metrics", { ip: "192.0.2.22", key: admin }))
    expect(count(await Promise.all(scrapes), 200)).toBe(120)
  })
})
