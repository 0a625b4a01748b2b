// What callers are told while the database is away, and what the log says of it.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { linear } from "../../test-support/definitions.ts"
import { createSeverableProxy, type SeverableProxy } from "../../test-support/severable-proxy.ts"
import { createTestDatabase, createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createTestServer, type TestServer } from "../rest/test-support/test-server.ts"

let proxy: SeverableProxy
let drop: () => Promise<void>
let engine: TestEngine
let server: TestServer

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  proxy = await createSeverableProxy(database.dsn)
  engine = await createTestEngine({ WE_POSTGRES_DSN: proxy.dsn })
  server = await createTestServer({ engine, ready: () => engine.core.healthy() })
  await engine.upload(linear())
})
afterAll(async () => {
  await server.close()
  await engine.close()
  await proxy.close()
  await drop()
})

const start = () => server.call("POST /v1/instances", { body: { definitionId: "linear" } })

/** How often the engine has said this. */
function listen(): (part: string) => number {
  const { log } = engine.kernel
  const spies = [vi.spyOn(log, "error"), vi.spyOn(log, "warn")]
  return (part) => spies.flatMap((spy) => spy.mock.calls).filter((words) => words.join().includes(part)).length
}

test("a database outage is 503 with Retry-After, logged once per change of state, and heals by itself", async () => {
  const said = listen()
  expect((await start()).status).toBe(201)
  for (const round of [1, 2]) {
    await proxy.sever()
    for (let n = 0; n < 5; n++) {
      for (const reply of [await start(), await server.call("GET /v1/instances")]) {
        expect([reply.status, reply.body.error]).toEqual([503, "unavailable"])
        expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
        expect(reply.text).not.toMatch(/ECONN|terminated|127\.0\.0\.1/)
      }
      // Answered from memory: no sign that the database is back.
      expect((await server.call("GET /healthz")).status).toBe(200)
    }
    expect(said("the database is away")).toBe(round)
    expect(said("the database is back")).toBe(round - 1)
    await expect.poll(async () => (await server.call("GET /readyz")).body.status).toBe("unavailable")
    await proxy.heal()
    await expect.poll(async () => (await start()).status).toBe(201)
    await expect.poll(async () => (await server.call("GET /readyz")).body.status).toBe("ready")
    await start()
    await expect.poll(() => said("the database is back")).toBe(round)
  }
})

test("D-08: /health says that it is the database", async () => {
  const health = async () => {
    const { status, body } = await server.call("GET /health")
    return [status, body.status, body.components.postgres]
  }
  await expect.poll(health).toEqual([200, "ok", "ok"])
  await proxy.sever()
  expect(await health()).toEqual([503, "degraded", "unreachable"])
  await proxy.heal()
  await expect.poll(health).toEqual([200, "ok", "ok"])
})

test("F24, S2: what was under way when the connection broke is 503, and done once when it is sent again", async () => {
  await expect.poll(async () => (await start()).status).toBe(201)
  const send = (key: number) =>
    server.call("POST /v1/instances", {
      body: { definitionId: "linear", linkingId: `cut-${key}` },
      headers: { "idempotency-key": `cut-${key}` },
    })
  for (let round = 0; round < 5; round++) {
    const first = Array.from({ length: 40 }, (_, n) => send(round * 40 + n))
    await first[0]
    const more = Array.from({ length: 40 }, (_, n) => send(round * 40 + n))
    await new Promise((resolve) => setTimeout(resolve, round * 2))
    await proxy.sever()
    const replies = await Promise.all([...first, ...more])
    const statuses = new Set(replies.map(({ status }) => status))
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([])
    await proxy.heal()
    await expect.poll(async () => (await start()).status).toBe(201)
    for (let n = 0; n < 40; n++) expect((await send(round * 40 + n)).status).toBe(201)
  }
  const [row] = await engine.db.script(
    "select count(*)::int as n, count(distinct linking_id)::int as distinct from millrace.instances where linking_id like 'cut-%'",
  )
  expect(row).toEqual({ n: 200, distinct: 200 })
})
