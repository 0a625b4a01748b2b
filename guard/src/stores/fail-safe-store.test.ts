// The shared store goes away in every way it can: what callers get meanwhile, and that it is used again afterwards.
import { afterEach, describe, expect, test } from "vitest"
import { createGuard } from "../create-guard.ts"
import { MemoryLedger } from "../memory-ledger.ts"
import { SoftBlocks } from "../soft-blocks.ts"
import { freePort, lacksRedis, startRedis, type TestRedis } from "../test-support/redis.ts"
import { type SettableClock, settableClock } from "../test-support/settable-clock.ts"
import { type StallingProxy, stallingProxy } from "../test-support/stalling-proxy.ts"
import { visit } from "../test-support/visits.ts"
import { FailSafeStore } from "./fail-safe-store.ts"
import { MemoryStore } from "./memory-store.ts"
import { openRedisStore } from "./open-redis-store.ts"
import type { RedisStore } from "./redis-store.ts"
import type { Answer, Store } from "./store.ts"

const RATE = { key: "rate_limit:key:1", requests: 10, windowMs: 60_000, isEnforced: true }

describe.skipIf(lacksRedis)("with redis-server (package redis-server)", () => {
  let clock: SettableClock
  const changes: boolean[] = []
  let misses = 0
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
    changes.length = 0
    misses = 0
  })

  const redis = async (...settings: string[]): Promise<TestRedis> => {
    const server = await startRedis(...settings)
    ends.push(() => server.stop())
    return server
  }
  const proxyTo = async (port: number): Promise<StallingProxy> => {
    const proxy = await stallingProxy(port)
    ends.push(() => proxy.close())
    return proxy
  }
  const open = async (port: number): Promise<Store> => {
    clock = settableClock()
    const observer = { storeChanged: (isUp: boolean) => void changes.push(isUp), storeMissed: () => void misses++ }
    const store = await openRedisStore({ url: `redis://127.0.0.1:${port}`, clock, observer })
    ends.push(() => store.close())
    return store
  }
  const ask = (store: Store) => store.ask({ rate: RATE, blocks: [] })
  const missFive = async (store: Store) => {
    for (let miss = 0; miss < 5; miss++) expect(await ask(store)).toMatchObject({ isLocal: true })
  }
  /** With time for each probe: the next step of the clock gives it up. */
  const untilBack = (store: Store) =>
    expect
      .poll(
        () => {
          clock.advance(1_000)
          return store.state.isUp
        },
        { interval: 100 },
      )
      .toBe(true)

  test("F75: restarted: calls go on in memory, the alarm is given once, and Redis is used again without a restart of ours", async () => {
    const server = await redis()
    const store = await open(server.port)
    expect((await ask(store)).isLocal).toBeUndefined()
    await server.stop()
    await missFive(store)
    expect(store.state).toEqual({ kind: "redis", isUp: false })
    expect(ask(store)).not.toBeInstanceOf(Promise)
    await server.restart()
    await untilBack(store)
    expect(await ask(store)).toEqual({
      rate: { isAdmitted: true, remaining: expect.any(Number) },
      block: undefined,
      timesMs: undefined,
    })
    expect(changes).toEqual([false, true])
  })

  test("flushed, its scripts too: the next call works, and what this process has admitted still counts", async () => {
    const server = await redis()
    const store = await open(server.port)
    await ask(store)
    await server.send("FLUSHALL")
    await server.send("SCRIPT", "FLUSH")
    expect(await ask(store)).toMatchObject({ rate: { isAdmitted: true, remaining: 8 } })
    expect([changes, misses]).toEqual([[], 0])
  })

  test("E-45, G1: a Redis that comes back empty gives a process no second hundred, and no second ten guesses", async () => {
    const server = await redis()
    const store = await open(server.port)
    const guess = (n: number) =>
      store.noteFailures([{ key: "failed:ip:1", member: `guess ${n}`, windowMs: 300_000, most: 50 }])
    for (let call = 0; call < 10; call++) expect(await ask(store)).toMatchObject({ rate: { remaining: 9 - call } })
    for (let n = 0; n < 10; n++) await guess(n)
    await server.send("FLUSHALL")
    for (let call = 0; call < 10; call++)
      expect(await ask(store)).toEqual({ rate: { isAdmitted: false, remaining: 0 } })
    expect(await guess(10)).toEqual([11])
    clock.advance(60_000)
    await server.send("FLUSHALL")
    expect(await ask(store)).toMatchObject({ rate: { isAdmitted: true, remaining: 9 } })
  })

  test("G1: a call that was noted here later than there is not held against others when it has left the window there", async () => {
    const server = await redis()
    const store = await open(server.port)
    for (let call = 0; call < 10; call++) await ask(store)
    await server.send("FLUSHALL")
    clock.advance(59_900)
    expect(await ask(store)).toMatchObject({ rate: { isAdmitted: true } })
  })

  test("F75, E-45: slow: a call waits for at most 50 ms, after 5 misses in a row none waits, until a probe succeeds", async () => {
    const server = await redis()
    const proxy = await proxyTo(server.port)
    const store = await open(proxy.port)
    await ask(store)
    proxy.stall()
    for (let miss = 1; miss <= 5; miss++) {
      expect(store.state.isUp).toBe(true)
      const answer = ask(store) as Promise<Answer>
      let isAnswered = false
      void answer.then(() => {
        isAnswered = true
      })
      clock.advance(49)
      await Promise.resolve()
      expect(isAnswered).toBe(false)
      clock.advance(1)
      expect(await answer).toMatchObject({ isLocal: true })
    }
    expect([store.state.isUp, misses]).toEqual([false, 5])
    expect(ask(store)).not.toBeInstanceOf(Promise)
    proxy.goOn()
    await untilBack(store)
    expect((await ask(store)).isLocal).toBeUndefined()
  })

  test("read-only: a replica answers pings and takes no decision, so it counts as away until it may be written to", async () => {
    const primary = await redis()
    const replica = await redis("--replicaof", "127.0.0.1", String(primary.port))
    const store = await open(replica.port)
    await missFive(store)
    expect(store.state.isUp).toBe(false)
    await replica.send("REPLICAOF", "NO", "ONE")
    await untilBack(store)
    expect((await ask(store)).isLocal).toBeUndefined()
  })

  test("failing over: another server takes the place of the first, with the counts that it has copied", async () => {
    const primary = await redis()
    const replica = await redis("--replicaof", "127.0.0.1", String(primary.port))
    const proxy = await proxyTo(primary.port)
    const store = await open(proxy.port)
    for (let call = 0; call < 4; call++) await ask(store)
    await expect.poll(() => replica.send("ZCARD", `millrace:guard:${RATE.key}`)).toBe(4)
    await primary.stop()
    await missFive(store)
    await replica.send("REPLICAOF", "NO", "ONE")
    proxy.leadTo(replica.port)
    await untilBack(store)
    expect(await ask(store)).toMatchObject({ rate: { isAdmitted: true } })
    expect(await replica.send("ZCARD", `millrace:guard:${RATE.key}`)).toBe(5)
    expect(changes).toEqual([false, true])
  })

  test("E-45, G1: at the begin of an outage a process goes on from what it has admitted: its memory gives no second hundred", async () => {
    const server = await redis()
    const store = await open(server.port)
    for (let call = 0; call < 7; call++) await ask(store)
    await server.stop()
    const answers: Answer[] = []
    for (let call = 0; call < 10; call++) answers.push(await ask(store))
    expect(answers.filter(({ rate }) => rate?.isAdmitted)).toHaveLength(3)
  })

  test("E-45: what was counted in memory is not merged back", async () => {
    const server = await redis()
    const store = await open(server.port)
    await server.stop()
    for (let call = 0; call < 10; call++) await ask(store)
    await server.restart()
    await untilBack(store)
    expect(await ask(await open(server.port))).toMatchObject({ rate: { isAdmitted: true, remaining: 9 } })
  })

  test.each([
    ["open", { state: "allowed", remaining: 98 }],
    ["closed", { state: "soft-blocked", isUnavailable: true }],
  ] as const)(
    "F75, E-25, E-35, G5: while it is away, limited classes are served or refused as set: %s",
    async (failMode, expected) => {
      const server = await redis()
      const guard = createGuard({ store: await open(server.port), failMode })
      expect(await guard.judge(visit())).toEqual({ state: "allowed", remaining: 99 })
      await server.stop()
      expect(await guard.judge(visit())).toMatchObject(expected)
      expect((await guard.judge(visit({ routeClass: "worker", client: "key:1" }))).state).toBe("allowed")
    },
  )

  test("a soft block that is known here stands while the store is away", async () => {
    const server = await redis()
    const guard = createGuard({ store: await open(server.port), clock })
    await guard.softBlock("203.0.113.7", { reason: "by hand", by: "ada" })
    await server.stop()
    clock.advance(6_000)
    for (let call = 0; call < 3; call++) expect((await guard.judge(visit())).state).toBe("soft-blocked")
  })

  test("G4: a block of another replica that is over when it is read is not told to Redis, which would refuse it and count as away", async () => {
    const server = await redis()
    const store = await open(server.port)
    const ledger = new MemoryLedger(clock.date)
    const guard = createGuard({ store, clock, ledger })
    await guard.refresh()
    const at = clock.date()
    const over = {
      subject: "ip:203.0.113.7",
      rule: "blocked-address",
      reason: "over",
      by: "ada",
      at,
      until: at,
    } as const
    await ledger.noteSoftBlocks(Array(5).fill(over))
    await guard.refresh()
    expect(store.state.isUp).toBe(true)
    expect((await guard.judge(visit())).state).toBe("allowed")
  })

  test("G4: a block that is lifted on one replica ends on another within 5 s", async () => {
    const server = await redis()
    const here = createGuard({ store: await open(server.port), clock })
    const other = createGuard({ store: await open(server.port), clock })
    await here.softBlock("203.0.113.7", { reason: "by hand", by: "ada" })
    expect((await other.judge(visit())).state).toBe("soft-blocked")
    expect(await here.forgive("ip:203.0.113.7", "ada")).toBe(true)
    clock.advance(5_000)
    await expect.poll(async () => (await other.judge(visit())).state).toBe("allowed")
  })
})

describe("a block that is known here, while the store is away", () => {
  const KEY = "soft_block:ip:192.0.2.1"
  const parts = () => {
    const clock = settableClock()
    const gone = () => Promise.reject(new Error("gone"))
    const shared = { blockLeftMs: gone, probe: gone, close: async () => {} } as unknown as RedisStore
    const store = new FailSafeStore({ shared, memory: new MemoryStore(clock), clock, observer: {} })
    const blocks = new SoftBlocks({ store, nowMs: clock.nowMs, date: clock.date, note: () => {} })
    return { clock, store, blocks }
  }

  test("G4, G5: the store's silence is a refusal to say, present or away, and never a number", async () => {
    const { store } = parts()
    for (let misses = 0; misses < 7; misses++) {
      const asked = store.blockLeftMs(KEY)
      expect(asked).toBeInstanceOf(Promise)
      await expect(asked).rejects.toThrow("away")
    }
    expect(store.state.isUp).toBe(false)
    await store.close()
  })

  test("G4, G5: it is found at every request until it has run out", async () => {
    const { clock, store, blocks } = parts()
    blocks.learn({ key: KEY, reason: "guesses", leftMs: 300_000 })
    for (let at = 0; at < 290_000; at += 10_000) {
      expect(blocks.find(KEY)).toMatchObject({ reason: "guesses" })
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(10_000)
    }
    expect(store.state.isUp).toBe(false)
    clock.advance(10_001)
    expect(blocks.find(KEY)).toBeUndefined()
    await store.close()
  })
})

describe("the start", () => {
  const impatient = (waits: number[]) => {
    const clock = settableClock()
    return {
      ...clock,
      after(delayMs: number, run: () => void) {
        waits.push(delayMs)
        setImmediate(run)
        return () => {}
      },
    }
  }

  test("E-25, E-T11: it is tried five times more, after 1 s and then twice as long each time, and then says what to do", async () => {
    const waits: number[] = []
    const url = `redis://127.0.0.1:${await freePort()}`
    await expect(openRedisStore({ url, clock: impatient(waits) })).rejects.toThrow("Redis cannot be reached")
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
  })

  test.skipIf(lacksRedis)("E-T11: a Redis that comes late is found (package redis-server)", async () => {
    const server = await startRedis()
    await server.stop()
    const waits: number[] = []
    const clock = impatient(waits)
    const late = {
      ...clock,
      after: (delayMs: number, run: () => void) => {
        waits.push(delayMs)
        void server.restart().then(run)
        return () => {}
      },
    }
    const store = await openRedisStore({ url: server.url, clock: late })
    expect(waits).toEqual([1_000])
    await store.close()
    await server.stop()
  })
})
