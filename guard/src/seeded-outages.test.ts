// Two replicas whose shared store goes away and comes back for each of them by itself, in runs that a seed draws: what callers are told
// meanwhile is what was set. A run that fails is made shorter, and printed with the seed that repeats it.
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { connectRedis } from "./stores/connect-redis.ts"
import { FailSafeStore } from "./stores/fail-safe-store.ts"
import { MemoryStore } from "./stores/memory-store.ts"
import { RedisStore } from "./stores/redis-store.ts"
import { lacksRedis, startRedis } from "./test-support/redis.ts"
import { type SettableClock, settableClock } from "./test-support/settable-clock.ts"
import { visit } from "./test-support/visits.ts"

const LIMIT = 5
const MOST_MISSES = 5
const PROBE_MS = 1_000
/** Longer than all probes of a run: nothing leaves it. */
const WINDOW_MS = 3_600_000

interface Shared {
  readonly store: object
  end(): Promise<void>
}

const KINDS = [
  {
    name: "memory",
    isSkipped: false,
    numRuns: 300,
    open: async (clock: SettableClock): Promise<Shared> => ({ store: new MemoryStore(clock), end: async () => {} }),
  },
  {
    name: "redis-server (package redis-server)",
    isSkipped: lacksRedis,
    numRuns: 60,
    async open(clock: SettableClock): Promise<Shared> {
      const server = await startRedis()
      const store = new RedisStore(await connectRedis(server.url, clock), "outages:")
      const end = async () => {
        await store.close()
        await server.stop()
      }
      return { store, end }
    },
  },
]

/** The way of one replica to the shared store. */
class Link {
  isCut = false
  /** In a row. */
  missed = 0
  readonly store: RedisStore

  constructor(shared: object) {
    const call =
      (name: string | symbol) =>
      async (...given: unknown[]) => {
        this.missed = this.isCut ? this.missed + 1 : 0
        if (this.isCut) throw new Error("the store is away")
        // A memory has no other end that could be asked whether it is there.
        const work = Reflect.get(shared, name) as ((...given: unknown[]) => unknown) | undefined
        return work?.apply(shared, given)
      }
    this.store = new Proxy(shared, { get: (_, name) => call(name) }) as RedisStore
  }
}

type FailMode = "open" | "closed"

/** One replica, and what it may say: kept beside it by counting. */
class Replica {
  readonly link: Link
  readonly guard: RunningGuard
  readonly #store: FailSafeStore
  readonly #clock: SettableClock
  readonly #failMode: FailMode
  readonly #alarms: boolean[] = []
  readonly #asked = new Map<string, number>()
  readonly #served = new Map<string, number>()

  constructor(
    shared: object,
    clock: SettableClock,
    { failMode, ledger }: { failMode: FailMode; ledger: MemoryLedger },
  ) {
    this.link = new Link(shared)
    this.#clock = clock
    this.#failMode = failMode
    const observer = { storeChanged: (isUp: boolean) => void this.#alarms.push(isUp) }
    const memory = new MemoryStore({ nowMs: () => clock.nowMs() })
    this.#store = new FailSafeStore({ shared: this.link.store, memory, clock, observer })
    const limits = { gateway: { requests: LIMIT, windowMs: WINDOW_MS } }
    const filter = { capacity: 100, errorRate: 0.01 }
    this.guard = createGuard({ clock, store: this.#store, ledger, limits, filter, failMode, refreshMs: 0 })
  }

  async call(address: string, { isBlocked, total }: { isBlocked: boolean; total: number }): Promise<boolean> {
    const isAway = this.link.isCut || !this.#store.state.isUp
    const { state } = await this.guard.judge(visit({ address }))
    this.#checkAlarm()
    const isServed = state === "allowed"
    if (isBlocked) expect(isServed).toBe(false)
    else if (isAway && this.#failMode === "closed") expect(isServed).toBe(false)
    else this.#judgeRate(address, { isServed, seen: isAway ? this.#countOf(this.#asked, address) : total })
    return isServed
  }

  async reconnect(): Promise<void> {
    this.link.isCut = false
    if (this.#store.state.isUp) return
    this.#clock.advance(PROBE_MS)
    await expect.poll(() => this.#store.state.isUp, { interval: 1 }).toBe(true)
    expect(this.#alarms.at(-1)).toBe(true)
  }

  /** Served no more often than the limit, and refused only where so many calls are known to it. */
  #judgeRate(address: string, { isServed, seen }: { isServed: boolean; seen: number }): void {
    const served = this.#countOf(this.#served, address)
    if (isServed) expect(served).toBeLessThan(LIMIT)
    else expect(seen).toBeGreaterThanOrEqual(LIMIT)
    this.#asked.set(address, this.#countOf(this.#asked, address) + 1)
    this.#served.set(address, served + (isServed ? 1 : 0))
  }

  /** After so many in a row it says that the store is gone; once. */
  #checkAlarm(): void {
    if (this.link.missed >= MOST_MISSES) expect(this.#store.state.isUp).toBe(false)
    expect(this.#alarms).toEqual(this.#alarms.map((_, at) => at % 2 === 1))
    expect(this.#alarms.at(-1) ?? true).toBe(this.#store.state.isUp)
  }

  readonly #countOf = (counts: ReadonlyMap<string, number>, address: string): number => counts.get(address) ?? 0
}

type Act = "call" | "cut" | "reconnect" | "block"
interface Move {
  readonly act: Act
  readonly who: number
  readonly at: number
}

const moves = fc.array(
  fc.record({
    act: fc.oneof(
      { weight: 20, arbitrary: fc.constant<Act>("call") },
      { weight: 3, arbitrary: fc.constantFrom<Act>("cut", "reconnect") },
      { weight: 1, arbitrary: fc.constant<Act>("block") },
    ),
    who: fc.nat({ max: 2 }),
    at: fc.nat({ max: 1 }),
  }),
  { minLength: 20, maxLength: 80 },
)

let runs = 0

async function play(shared: Shared, clock: SettableClock, failMode: FailMode, all: readonly Move[]): Promise<void> {
  const net = `10.${(++runs >> 8) & 255}.${runs & 255}`
  const ledger = new MemoryLedger(clock.date)
  const replicas = [0, 1].map(() => new Replica(shared.store, clock, { failMode, ledger }))
  const blocked = new Set<string>()
  const totals = new Map<string, number>()
  for (const { guard } of replicas) {
    await guard.rebuild()
    await guard.refresh()
  }
  for (const { act, who, at } of all) {
    const address = `${net}.${who}`
    const replica = replicas[at] as Replica
    if (act === "cut") replica.link.isCut = true
    if (act === "reconnect") await replica.reconnect()
    if (act === "block") {
      await replica.guard.block({ kind: "address", value: address, reason: "drawn", by: "ada" })
      blocked.add(address)
      for (const { guard } of replicas) await guard.refresh()
    }
    if (act !== "call") continue
    const total = totals.get(address) ?? 0
    await replica.call(address, { isBlocked: blocked.has(address), total })
    totals.set(address, total + 1)
  }
}

describe.each(KINDS)("with a store in $name that goes away", ({ isSkipped, open, numRuns }) => {
  describe.skipIf(isSkipped).each(["open", "closed"] as const)("for a guard that fails %s", (failMode) => {
    const clock = settableClock()
    let shared: Shared
    beforeAll(async () => {
      shared = await open(clock)
    })
    afterAll(() => shared.end())

    test("G5: calls are served or refused as set, no limit is passed, who is blocked stays so, and the alarm is given once", async () => {
      await fc.assert(
        fc.asyncProperty(moves, (all) => play(shared, clock, failMode, all)),
        { numRuns },
      )
    })
  })
})
