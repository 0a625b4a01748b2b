// Two engines with one real Redis behind their guards: they count together, and go on by themselves while it is away.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
// The kit of the guard's own tests, as it is built.
import { lacksRedis, startRedis, type TestRedis } from "../../../../guard/dist/test-support/redis.js"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createGuardedServer, createGuardedServerBeside, type GuardedServer } from "./test-support/guarded-server.ts"

describe.skipIf(lacksRedis)("with redis-server (package redis-server)", () => {
  let redis: TestRedis
  let engine: TestEngine
  let servers: readonly [GuardedServer, GuardedServer]
  let admin: string
  beforeAll(async () => {
    redis = await startRedis()
    engine = await createTestEngine()
    const env = { WE_GUARD_REDIS_URL: redis.url }
    servers = [await createGuardedServer({ engine, env }), await createGuardedServerBeside(engine, env)]
    admin = await servers[0].key()
    for (const server of servers) await server.call("GET /healthz", { ip: "10.9.9.9" })
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await engine.close()
    await redis.stop()
  })

  const session = (server: GuardedServer, ip: string) => server.call("GET /v1/session", { ip })
  /** Half of them at each engine, all at once. */
  const statuses = async (times: number, ip: string) => {
    const calls = Array.from({ length: times }, (_, n) => session(servers[n % 2] as GuardedServer, ip))
    const replies = await Promise.all(calls)
    return [200, 429].map((status) => replies.filter((reply) => reply.status === status).length)
  }
  const redisOf = async (server: GuardedServer) =>
    (await server.call("GET /health", { ip: "10.9.9.9", key: admin })).body.components?.redis

  test("E-F1, E-30, E-07: 150 calls at once over two engines are 100 and 50, and the next 150 none", async () => {
    expect(await statuses(150, "192.0.2.1")).toEqual([100, 50])
    expect(await statuses(150, "192.0.2.1")).toEqual([0, 150])
    const keys = (await redis.send("KEYS", "*")) as string[]
    expect(keys).toContain("millrace:guard:millrace:rate_limit:public:ip:192.0.2.1")
  })

  test("E-10, E-11: wrong keys at one engine are counted at the other", async () => {
    const visit = { routeClass: "client", address: "192.0.2.2", path: "/v1/instances", requestId: "r" } as const
    const [one, other] = servers
    for (let n = 0; n < 9; n++) await one.guard.credentialFailed(visit, { digest: `guess ${n}` })
    const tenth = await other.call("GET /v1/instances", { ip: "192.0.2.2", key: "mill_wrong" })
    const next = await other.call("GET /v1/instances", { ip: "192.0.2.2", key: "mill_other" })
    expect([tenth.status, next.status]).toEqual([401, 429])
  })

  test("E-20, E-25, E-45: without Redis each engine counts for itself and says so; when it is back they count together", async () => {
    expect(await Promise.all(servers.map(redisOf))).toEqual(["ok", "ok"])
    const { body } = await servers[0].call("GET /health", { ip: "10.9.9.9", key: admin })
    expect(body).toMatchObject({
      pool: { size: expect.any(Number), idle: expect.any(Number), waiting: 0 },
      guard: { store: "redis", blocked_addresses: 0, blocked_agents: 0 },
    })
    await redis.stop()
    const [served, refused] = (await statuses(400, "192.0.2.3")) as [number, number]
    // The bound is the limit times the engines.
    expect([served, refused]).toEqual([200, 200])
    expect(await Promise.all(servers.map(redisOf))).toEqual(["unreachable", "unreachable"])
    await redis.restart()
    const states = async () => {
      for (const { clock } of servers) clock.advance(1_000)
      return Promise.all(servers.map(redisOf))
    }
    await expect.poll(states).toEqual(["ok", "ok"])
    expect(await statuses(150, "192.0.2.4")).toEqual([100, 50])
  })

  test("E-35: with GUARD_FAIL_MODE=closed calls of limited routes are refused while it is away, and the others are served", async () => {
    const env = { WE_GUARD_REDIS_URL: redis.url, GUARD_FAIL_MODE: "closed" }
    const closed = await createGuardedServerBeside(engine, env)
    expect((await session(closed, "192.0.2.5")).status).toBe(200)
    await redis.stop()
    const refused = await session(closed, "192.0.2.5")
    expect([refused.status, refused.body.error]).toEqual([503, "unavailable"])
    const read = (key?: string) => closed.call("GET /v1/instances", { ip: "192.0.2.5", ...(key ? { key } : {}) })
    expect([(await read(admin)).status, (await read()).status]).toEqual([200, 401])
    await closed.close()
    await redis.restart()
  })
})
