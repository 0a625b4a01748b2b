// The order of the chain where it is turned around, and the metrics: their names, and that callers cannot make more of them.
import { afterAll, beforeAll, expect, test } from "vitest"
import { createGuardedServer, type GuardedServer } from "./test-support/guarded-server.ts"

let server: GuardedServer
let admin: string
beforeAll(async () => {
  server = await createGuardedServer({ env: { WE_GUARD_ORDER: "blocks-first" } })
  admin = await server.key()
})
afterAll(() => server.close())

const page = async () => (await server.call("GET /metrics", { ip: "10.9.9.9", key: admin })).text
/** Without those of the engine's own loops: one that runs for the first time meanwhile has new ones. */
const seriesIn = (text: string) => text.split("\n").filter((line) => !/^(#|engine_|$)/.test(line)).length

test("E-X5: with WE_GUARD_ORDER=blocks-first a blocked address gets 403 before its credential is looked at", async () => {
  await server.call("POST /admin/block-ip/192.0.2.1", { ip: "10.9.9.9", key: admin })
  for (const key of [undefined, "mill_wrong", admin])
    expect((await server.call("GET /v1/instances", { ip: "192.0.2.1", ...(key ? { key } : {}) })).status).toBe(403)
  expect((await server.call("GET /v1/instances", { ip: "192.0.2.2" })).status).toBe(401)
})

test("E-X5, E-X8: blocks come first but on the routes of the guard, where an administrator lifts them", async () => {
  const status = async (key: string) => (await server.call("GET /admin/blocks", { ip: "192.0.2.1", key })).status
  expect([await status(admin), await status("mill_wrong")]).toEqual([200, 401])
})

test("E-X5, SEC-60: the other rules stay where they were: guesses at an address shut out no caller that has proved itself", async () => {
  const call = (key?: string) => server.call("GET /v1/instances", { ip: "192.0.2.3", ...(key ? { key } : {}) })
  expect((await call(admin)).status).toBe(200)
  for (let n = 0; n < 10; n++) await server.guard.credentialFailed(visit, { digest: `guess ${n}` })
  expect([(await call(admin)).status, (await call()).status]).toEqual([200, 401])
  expect((await call("mill_wrong")).status).toBe(429)
})

const visit = { routeClass: "client", address: "192.0.2.3", path: "/v1/instances", requestId: "r" } as const

test("E-24: the metrics have the names that were promised", async () => {
  const text = await page()
  for (const name of [
    "request_duration_seconds",
    "requests_total",
    "rate_limit_rejections_total",
    "bloom_filter_hits_total",
    "abuse_detections_total",
    "db_pool_checkedout",
    "db_pool_overflow",
  ])
    expect(text).toMatch(new RegExp(`^# TYPE ${name} `, "m"))
  expect(text).toMatch(/^request_duration_seconds_bucket\{le="0.005"\} /m)
  expect(text).toMatch(/^request_duration_seconds_bucket\{le="2.5"\} /m)
  expect(text).toMatch(/^requests_total\{status_code="403",route="\/v1\/instances"\} 3$/m)
  expect(text).toMatch(/^bloom_filter_hits_total\{filter_type="known_bad_ips"\} [1-9]/m)
  expect(Number(/^request_duration_seconds_count (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(4)
})

test("E-X9, SEC-65: two hundred callers with paths, agents and addresses of their own make no more series than one", async () => {
  const visit = (n: number) => server.call(`GET /nope/${n}`, { ip: `198.51.100.${n}`, agent: `Agent/${n}` })
  await visit(0)
  await page()
  const before = seriesIn(await page())
  for (let n = 1; n < 200; n++) await visit(n)
  expect(seriesIn(await page())).toBe(before)
})
