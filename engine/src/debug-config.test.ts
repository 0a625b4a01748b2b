// `GET /debug/config` of a real engine: there while a developer runs it on this machine, without secrets, and nowhere else.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { loadConfig } from "./config.ts"
import { type Engine, startEngine } from "./engine.ts"
import { createLogger } from "./support/log.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"

let database: Awaited<ReturnType<typeof createTestDatabase>>
let engine: Engine | undefined
beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await engine?.stop()
  engine = undefined
})
afterAll(() => database.drop())

const CANARIES = {
  WE_JWT_SECRET: "canary-0123456789abcdef0123456789abcdef",
  WE_OIDC_CLIENT_SECRET: "canary",
  WE_GUARD_REDIS_URL: "redis://user:canary@127.0.0.1:1",
}
const PORTS = { WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" }

async function ask(development: boolean, more: Record<string, string> = {}) {
  const env = { WE_POSTGRES_DSN: database.dsn, ...PORTS, ...CANARIES, ...more }
  engine = await startEngine(loadConfig({ env }), createLogger({ level: "silent" }), { development, loops: [] })
  return fetch(`${engine.restUrl.replace("0.0.0.0", "127.0.0.1")}/debug/config`)
}

test("E-20, SEC-55: in development it tells every setting with its source, and no secret", async () => {
  const answer = await ask(true, { WE_LOG_LEVEL: "error" })
  const text = await answer.text()
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
  expect(text).not.toContain("canary")
  const { settings } = JSON.parse(text) as { settings: object[] }
  expect(settings).toContainEqual({ name: "WE_LOG_LEVEL", value: "error", source: "env" })
  expect(settings).toContainEqual({ name: "WE_SCHEMA", value: "millrace", source: "default" })
  expect(settings).toContainEqual({ name: "WE_JWT_SECRET", value: "****", source: "env" })
})

test("E-20: as `millrace start` runs it there is no such route", async () => {
  expect((await ask(false)).status).toBe(404)
})

test("E-20: nor in development, where other machines can ask", async () => {
  const beyond = { WE_BIND_ADDRESS: "0.0.0.0", WE_BEHIND_TLS_PROXY: "true", WE_GUARD: "off" }
  expect((await ask(true, beyond)).status).toBe(404)
})
