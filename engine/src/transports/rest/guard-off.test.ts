// Where the guard is off nothing of it is to be seen: the same bytes, the same headers, and not one statement more.
import { afterAll, beforeAll, expect, test } from "vitest"
import { loadConfig } from "../../config.ts"
import { openGuard } from "../../open-guard.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

let engine: TestEngine
let server: TestServer
beforeAll(async () => {
  engine = await createTestEngine()
  const off = await openGuard(loadConfig({ env: {} }), engine.kernel)
  expect(off).toBeUndefined()
  server = await createTestServer({ engine })
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

test("WE_GUARD=auto on loopback: no header of it, no limit, no metric", async () => {
  for (let n = 0; n < 120; n++) {
    const { status, headers } = await server.call("GET /v1/session", { headers: { "x-forwarded-for": `192.0.2.${n}` } })
    expect(status).toBe(200)
    for (const name of ["x-ratelimit-remaining", "retry-after"]) expect(headers.get(name)).toBeNull()
  }
  const page = await engine.kernel.metrics.registry.metrics()
  expect(page).not.toMatch(
    /^(guard_|bloom_filter|rate_limit|abuse_detections|request_duration_seconds|requests_total)/m,
  )
})

test("operators are told that it is off, in place of changes that would have no effect", async () => {
  expect((await server.call("GET /admin/guard")).body).toEqual({ is_on: false })
  const refused = await server.call("POST /admin/block-ip/192.0.2.7")
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("WE_GUARD=on")])
  expect(await engine.db.script("select 1 from millrace.guard_blocks")).toEqual([])
})

test("nothing of it is written or read", async () => {
  const rows = await engine.db.script(
    "select relname, seq_scan + coalesce(idx_scan, 0) as reads, n_tup_ins from pg_stat_user_tables where relname like 'guard_%'",
  )
  for (const { relname, n_tup_ins } of rows)
    expect([relname, n_tup_ins]).toEqual([relname, relname === "guard_state" ? n_tup_ins : 0])
  expect((await server.call("GET /healthz")).text).toBe('{"status":"ok"}')
})
