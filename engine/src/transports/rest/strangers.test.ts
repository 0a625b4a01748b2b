// What a caller without a key costs and is told, where a key is needed.
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { createApiKey, KeyRing } from "../../operations/people/api-keys.ts"
import { Sessions } from "../../operations/people/sessions.ts"
import { createLogger } from "../../support/log.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { createStatementWatch, type StatementWatch } from "../../test-support/statement-watch.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { RestServer } from "./plumbing/http-server.ts"
import { createRestServer } from "./server.ts"
import { rawRequest } from "./test-support/raw-http.ts"
import { TIMEOUTS } from "./test-support/test-server.ts"

let database: Awaited<ReturnType<typeof createTestDatabase>>
let watch: StatementWatch
let kernel: Kernel
let server: RestServer
let url: string
let isReady = true

beforeAll(async () => {
  database = await createTestDatabase()
  watch = await createStatementWatch(database.dsn)
  kernel = await createBareKernel(watch.dsn)
  const keys = new KeyRing(kernel.db)
  server = await createRestServer(kernel, {
    auth: "required",
    bindIsLoopback: true,
    allowedHosts: [],
    corsOrigins: [],
    timeouts: TIMEOUTS,
    log: createLogger({ level: "silent" }),
    draining: () => false,
    ready: () => isReady,
    findKey: (key) => keys.find(key),
    sessions: new Sessions(kernel.db),
  })
  url = await server.listen(0, "127.0.0.1")
})
afterAll(async () => {
  await server.close()
  await kernel.db.close()
  await watch.close()
  await database.drop()
})
beforeEach(() => watch.forget())

const get = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const response = await fetch(url + path, { method, headers })
  return { status: response.status, text: await response.text() }
}

test("SEC-02: /health says to a stranger in one word whether it is up, without a query", async () => {
  expect(await get("/health")).toEqual({ status: 200, text: '{"status":"ok"}' })
  expect(await get("/health", { authorization: "Bearer made-up" })).toEqual({ status: 200, text: '{"status":"ok"}' })
  isReady = false
  expect(await get("/health")).toEqual({ status: 503, text: '{"status":"degraded"}' })
  expect((await get("/readyz")).status).toBe(503)
  isReady = true
  expect((await get("/readyz")).status).toBe(200)
  expect(watch.statements).toEqual([])
})

const asKey = async (...scopes: string[]) => ({
  authorization: `Bearer ${(await createApiKey(kernel.db, { name: "ada", scopes })).key}`,
})

test("SEC-02: /health shows its parts to any key of the engine", async () => {
  const { text } = await get("/health", await asKey("metrics:read"))
  expect(JSON.parse(text)).toMatchObject({ status: "ok", components: { postgres: "ok" } })
})

test("E-39: a caller of the gateway alone sees of the engine what a stranger sees, and its contract", async () => {
  const headers = await asKey("gateway")
  expect(await get("/health", headers)).toEqual({ status: 200, text: '{"status":"ok"}' })
  expect((await get("/v1/bulk/01ARZ3NDEKTSV4RRFFQ69G5FAV", headers)).status).toBe(403)
  expect((await get("/v1/bulk/01ARZ3NDEKTSV4RRFFQ69G5FAV", await asKey("jobs:work"))).status).toBe(404)
  expect((await get("/openapi.json", headers)).status).toBe(200)
})

test("SEC-19: a made-up cookie costs no query, however many there are and whatever is asked for", async () => {
  await get("/v1/session", { cookie: `millrace-session=${randomBytes(48).toString("base64url")}` })
  // The secret has been read by now, once for all.
  expect(watch.statements.length).toBeLessThanOrEqual(1)
  watch.forget()
  for (let n = 0; n < 50; n++) {
    const cookie = { cookie: `millrace-session=${randomBytes(48).toString("base64url")}` }
    expect(JSON.parse((await get("/v1/session", cookie)).text)).toMatchObject({ signedIn: false })
    expect((await get("/v1/instances", cookie)).status).toBe(401)
    expect((await get("/v1/session", { ...cookie, origin: url }, "DELETE")).status).toBe(204)
  }
  expect(watch.statements).toEqual([])
})

test("SEC-19: one bit of a genuine cookie changed is a made-up one", async () => {
  const sessions = new Sessions(kernel.db)
  const { id } = await createApiKey(kernel.db, { name: "bob", scopes: ["admin"] })
  const genuine = await sessions.start({ id, name: "bob", scopes: ["admin"] }, [])
  expect(await sessions.find(genuine)).toMatchObject({ name: "bob" })
  watch.forget()
  for (const at of [0, 20, 42, 43, 50, 63]) {
    const other = genuine[at] === "A" ? "B" : "A"
    expect(await sessions.find(genuine.slice(0, at) + other + genuine.slice(at + 1))).toBeUndefined()
  }
  expect(watch.statements).toEqual([])
})

test.each(["GET /healthz", "GET /v1/instances", "POST /v1/instances", "GET /nowhere"])(
  "SEC-03: two Host headers are refused: %s",
  async (call) => {
    const host = new URL(url).host
    for (const second of [host, "evil.test", ""]) {
      const reply = await rawRequest(
        url,
        `${call} HTTP/1.1\r\nHost: ${host}\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`,
      )
      expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    }
  },
)

test.each(["GET /healthz", "GET /v1/instances", "POST /v1/instances", "GET /nowhere"])(
  "SEC-04: a request with so many lines that Node would drop the last, such as a proxy's, is refused: %s",
  async (call) => {
    const head = `${call} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n`
    for (const lines of [199, 1_100])
      expect(await rawRequest(url, `${head}${"a: b\r\n".repeat(lines)}X-Forwarded-For: 203.0.113.5\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 .*more than 200 lines of headers/s,
      )
    const fits = await rawRequest(url, `${head}${"a: b\r\n".repeat(197)}X-Forwarded-For: 203.0.113.5\r\n\r\n`)
    expect(fits).not.toContain("lines of headers")
  },
)
