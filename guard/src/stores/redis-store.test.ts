// What Redis is asked: names, expiry, one round trip, and two processes on one server.
import { fork } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "../create-guard.ts"
import { lacksRedis, startRedis, type TestRedis } from "../test-support/redis.ts"
import { settableClock } from "../test-support/settable-clock.ts"
import { visit } from "../test-support/visits.ts"
import { loadRedis } from "./load-redis.ts"
import { openRedisStore } from "./open-redis-store.ts"
import type { Store } from "./store.ts"

test("without the client's package the error names the command that installs it", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" })
  await expect(loadRedis(() => Promise.reject(missing))).rejects.toThrow("npm install @redis/client@")
  await expect(loadRedis(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken")
})

describe.skipIf(lacksRedis)("with redis-server (package redis-server)", () => {
  let server: TestRedis
  const stores: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await openRedisStore({ url: server.url, clock: settableClock() })
    stores.push(store)
    return store
  }
  beforeAll(async () => {
    server = await startRedis()
  })
  beforeEach(() => server.send("FLUSHALL"))
  afterAll(async () => {
    for (const store of stores) await store.close()
    await server.stop()
  })

  const send = (...words: string[]) => server.send(...words)

  test("E-07: the window is a sorted set of unique members under rate_limit:<client>, and expires a second after the window", async () => {
    const guard = createGuard({ store: await open() })
    for (let call = 0; call < 3; call++) await guard.judge(visit({ client: "user:7" }))
    const key = "millrace:guard:rate_limit:gateway:user:7"
    expect(await send("TYPE", key)).toBe("zset")
    expect(await send("ZCARD", key)).toBe(3)
    const ttl = Number(await send("PTTL", key))
    expect(ttl).toBeLessThanOrEqual(61_000)
    expect(ttl).toBeGreaterThan(1_000)
  })

  test("E-28: all rules of a request are one command", async () => {
    const guard = createGuard({ store: await open() })
    await guard.judge(visit())
    await send("CONFIG", "RESETSTAT")
    await guard.judge(visit())
    const stats = String(await send("INFO", "commandstats"))
    expect(stats).toMatch(/cmdstat_evalsha:calls=1,/)
    const outside = [...stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name]) => name)
    expect(outside.sort().filter((name) => name !== "info" && !name?.startsWith("config"))).toEqual(
      // The script's own commands are counted too; what is left over is the connection of this test.
      expect.arrayContaining(["evalsha", "time", "zadd", "zcard", "rpush"]),
    )
    expect(outside).not.toContain("eval")
  })

  test("E-X4, SEC-62: a user named like an address and the address have keys of their own", async () => {
    const guard = createGuard({ store: await open() })
    for (let attempt = 0; attempt < 10; attempt++)
      await guard.credentialFailed(visit({ address: "198.51.100.1" }), { user: "203.0.113.7" })
    expect((await send("KEYS", "*failed*")) as string[]).toHaveLength(2)
    expect(await send("EXISTS", "millrace:guard:failed:ip:198.51.100.1")).toBe(1)
    expect(await send("EXISTS", "millrace:guard:failed:name:203.0.113.7")).toBe(1)
    expect((await guard.beforeCredential(visit({ address: "203.0.113.7" }))).state).toBe("allowed")
  })

  test("G1: entries from the future, after the server's clock was set back, count as made now: no window opens or stays shut", async () => {
    const store = await open()
    const key = "rate_limit:key:1"
    const [seconds] = (await send("TIME")) as [string]
    for (const member of ["a", "b"])
      await send("ZADD", `millrace:guard:${key}`, `${Number(seconds) + 3600}000000`, member)
    const rate = { key, requests: 2, windowMs: 500, isEnforced: true }
    expect((await store.ask({ rate, blocks: [] })).rate?.isAdmitted).toBe(false)
    await expect.poll(async () => (await store.ask({ rate, blocks: [] })).rate?.isAdmitted).toBe(true)
  })

  test("E-F1: over two replicas 150 parallel calls are exactly 100 and 50, and the next 150 are none", async () => {
    const guards = [createGuard({ store: await open() }), createGuard({ store: await open() })]
    const round = async () => {
      const calls = Array.from({ length: 150 }, (_, at) => guards[at % 2]!.judge(visit({ client: "user:1" })))
      return (await Promise.all(calls)).filter(({ state }) => state === "allowed").length
    }
    expect([await round(), await round()]).toEqual([100, 0])
  })

  test("E-F1, G1: 10,000 clients with a limit of 10, called from two processes: not one call too many or too few", async () => {
    const hammer = async (): Promise<number[]> => {
      const program = new URL("../../dist/test-support/hammer-process.js", import.meta.url)
      const child = fork(program, [server.url, "10000", "8"], { execArgv: [] })
      const [counts] = await once(child, "message")
      await once(child, "exit")
      return counts as number[]
    }
    const [first, second] = await Promise.all([hammer(), hammer()])
    const wrong = first.filter((count, client) => count + (second[client] ?? 0) !== 10)
    expect(wrong).toEqual([])
  })
})
