// What operators do and see, what waits for the ledger, and requests that are held.
import { beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { NoteQueue } from "./note-queue.ts"
import { MemoryStore } from "./stores/memory-store.ts"
import { type SettableClock, settableClock } from "./test-support/settable-clock.ts"
import { visit } from "./test-support/visits.ts"

let clock: SettableClock
let ledger: MemoryLedger
let guard: RunningGuard

beforeEach(() => {
  clock = settableClock()
  ledger = new MemoryLedger(clock.date)
  guard = createGuard({ clock, ledger, random: () => 0.99 })
})

const judge = async (parts = {}) => (await guard.judge(visit(parts))).state

describe("blocks by hand", () => {
  test("E-17, E-T6: a soft block refuses all from an address, on every class but health, and ends by itself", async () => {
    await guard.softBlock("203.0.113.7", { reason: "by hand", by: "ada" })
    expect(await guard.judge(visit())).toMatchObject({ state: "soft-blocked", retryAfterSeconds: 300 })
    expect(await judge({ routeClass: "worker", client: "key:1" })).toBe("soft-blocked")
    expect(await judge({ routeClass: "health" })).toBe("allowed")
    clock.advance(300_000)
    expect(await judge()).toBe("allowed")
    expect(ledger.softBlocks).toMatchObject([{ subject: "ip:203.0.113.7", by: "ada" }])
  })

  test("E-17: a soft block that is made again is told to the other replicas again", async () => {
    await guard.softBlock("203.0.113.7", { reason: "first", by: "ada" })
    await guard.softBlock("203.0.113.7", { reason: "second", by: "bob", forMs: 900_000 })
    expect(ledger.softBlocks).toMatchObject([{ reason: "first" }, { reason: "second", by: "bob" }])
  })

  test("E-X8: on a route that lifts blocks neither a soft nor a hard block of an operator counts, before or after the credential", async () => {
    const first = createGuard({ clock, ledger, blocksFirst: true })
    await first.block({ kind: "address", value: "203.0.113.7", reason: "by hand", by: "ada" })
    await first.softBlock("203.0.113.7", { reason: "by hand", by: "ada" })
    const admin = { routeClass: "admin", client: "key:1" } as const
    expect([(await first.beforeAll(visit(admin))).state, (await first.judge(visit(admin))).state]).toEqual([
      "hard-blocked",
      "hard-blocked",
    ])
    const lifting = visit({ ...admin, liftsBlocks: true })
    expect([(await first.beforeAll(lifting)).state, (await first.judge(lifting)).state]).toEqual(["allowed", "allowed"])
  })

  test("E-05: a guard that is closed reads the ledger no more, also where it was closed during a read", async () => {
    await guard.start()
    await guard.close()
    expect(clock.waiting).toBe(0)
    const other = createGuard({ clock, ledger, refreshMs: 0 })
    await other.start()
    clock.advance(60_000)
    await other.close()
    await other.rebuild()
    await new Promise((resolve) => setImmediate(resolve))
    expect(clock.waiting).toBe(0)
  })

  test("E-17, G4: it is lifted at once here, and elsewhere when the other replica asks what has changed", async () => {
    const other = createGuard({ clock, ledger })
    await other.refresh()
    await guard.softBlock("203.0.113.7", { reason: "by hand", by: "ada" })
    await other.refresh()
    expect((await other.judge(visit())).state).toBe("soft-blocked")
    expect(await guard.forgive("ip:203.0.113.7", "bob")).toBe(true)
    expect(await judge()).toBe("allowed")
    await other.refresh()
    expect((await other.judge(visit())).state).toBe("allowed")
    expect(await guard.forgive("ip:203.0.113.7", "bob")).toBe(false)
  })

  test("a pardon forgets failures and rhythm, and gives no second hundred", async () => {
    for (let call = 0; call < 100; call++) await guard.judge(visit())
    for (let time = 0; time < 10; time++) await guard.credentialFailed(visit(), { user: "ada" })
    await guard.forgive("ip:203.0.113.7", "ada")
    expect((await guard.beforeCredential(visit(), "bob")).state).toBe("allowed")
    expect(await guard.judge(visit())).toMatchObject({ state: "soft-blocked", rule: "rate" })
  })
})

describe("why", () => {
  test("it tells blocks, calls, failures and rhythm with their numbers", async () => {
    for (let call = 0; call < 3; call++) {
      await guard.judge(visit())
      clock.advance(1_000)
    }
    for (let time = 0; time < 10; time++) await guard.credentialFailed(visit(), { user: "ada" })
    await guard.block({ kind: "address", value: "203.0.113.7", reason: "scans", by: "ada" })
    expect(await guard.why("ip:203.0.113.7")).toEqual({
      subject: "ip:203.0.113.7",
      hardBlock: expect.objectContaining({ reason: "scans", by: "ada" }),
      isInFilter: true,
      softBlocks: [
        {
          rule: "failures-by-address",
          space: "live",
          reason: "10 failed credentials from this address, of at most 10",
          leftSeconds: 300,
        },
      ],
      windows: [{ routeClass: "gateway", space: "live", count: 3, limit: { requests: 100, windowMs: 60_000 } }],
      failures: [{ space: "live", count: 10, threshold: 10, windowSeconds: 300 }],
      rhythm: { gaps: 2, meanSeconds: 1, deviationSeconds: 0 },
    })
    expect((await guard.why("name:ada")).failures).toMatchObject([{ count: 10, threshold: 20 }])
    expect(await guard.why("agent:curl")).toMatchObject({ hardBlock: undefined, isInFilter: false })
    expect(await guard.why("user:9")).toMatchObject({ softBlocks: [], windows: [], rhythm: undefined })
  })
})

describe("held requests", () => {
  test("E-36, SEC-63: at most 100 wait at once, and who is refused comes back at a time of its own", async () => {
    const held = Array.from({ length: 100 }, () => guard.hold(2_000))
    expect(guard.counts.held).toBe(100)
    expect(await guard.hold(2_000)).toBe(false)
    expect(guard.retryAfterSeconds(2_000)).toBe(5)
    clock.advance(2_000)
    expect(new Set(await Promise.all(held))).toEqual(new Set([true]))
    expect(guard.counts.held).toBe(0)
  })

  test("SEC-63: of 10,000 throttled requests at once 100 are held, and the rest are refused without a timer", async () => {
    const all = Array.from({ length: 10_000 }, () => guard.hold(2_000))
    expect([guard.counts.held, clock.waiting]).toEqual([100, 100])
    clock.advance(2_000)
    expect((await Promise.all(all)).filter((isServed) => isServed)).toHaveLength(100)
  })

  test("a caller that has gone does not wait", async () => {
    const gone = new AbortController()
    const held = guard.hold(2_000, gone.signal)
    gone.abort()
    expect(await held).toBe(false)
    expect(await guard.hold(2_000, gone.signal)).toBe(false)
    expect([guard.counts.held, clock.waiting]).toEqual([0, 0])
  })
})

describe("notes for the ledger", () => {
  test("a batch that is not taken is tried again, in order and once", async () => {
    const written: number[][] = []
    let isAway = true
    const queue = new NoteQueue<number>({
      clock,
      dropped: () => {},
      write: async (notes) => {
        if (isAway) throw new Error("away")
        written.push([...notes])
      },
    })
    for (let note = 0; note < 700; note++) queue.add(note)
    await queue.flush()
    expect(written).toEqual([])
    isAway = false
    await queue.close()
    expect(written.flat()).toEqual(Array.from({ length: 700 }, (_, note) => note))
    expect(written.map(({ length }) => length)).toEqual([500, 200])
  })

  test("a batch that is not taken is tried again by itself after a second, though no further note comes", async () => {
    const written: number[] = []
    let tries = 0
    const queue = new NoteQueue<number>({
      clock,
      dropped: () => {},
      write: async (notes) => {
        if (++tries < 3) throw new Error("away")
        written.push(...notes)
      },
    })
    queue.add(7)
    for (const [before, delayMs] of [100, 1_000, 1_000].entries()) {
      clock.advance(delayMs - 1)
      expect(tries).toBe(before)
      clock.advance(1)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(written).toEqual([7])
    expect(clock.waiting).toBe(0)
  })

  test("SEC-65: while the ledger is away no more than 10,000 wait, and what is given up is the oldest and is counted", async () => {
    let dropped = 0
    let isAway = true
    const written: number[] = []
    const queue = new NoteQueue<number>({
      clock,
      dropped: (count) => {
        dropped += count
      },
      write: async (notes) => {
        if (isAway) throw new Error("away")
        written.push(...notes)
      },
    })
    for (let note = 0; note < 10_050; note++) queue.add(note)
    expect(dropped).toBe(50)
    isAway = false
    await queue.close()
    expect(written).toEqual(Array.from({ length: 10_000 }, (_, at) => at + 50))
  })

  test("SEC-65: a batch that fails after others have filled its place does not raise the bound", async () => {
    let dropped = 0
    let fail: ((error: Error) => void) | undefined
    const written: number[] = []
    const queue = new NoteQueue<number>({
      clock,
      dropped: (count) => {
        dropped += count
      },
      write: (notes) => {
        if (fail) return Promise.resolve(void written.push(...notes))
        return new Promise((_, reject) => {
          fail = reject
        })
      },
    })
    for (let note = 0; note < 500; note++) queue.add(note)
    const failing = queue.flush()
    for (let note = 500; note < 10_500; note++) queue.add(note)
    expect(dropped).toBe(0)
    fail?.(new Error("away"))
    await failing
    expect(dropped).toBe(500)
    await queue.close()
    expect(written).toEqual(Array.from({ length: 10_000 }, (_, at) => at + 500))
  })
})

describe("bounds", () => {
  test("SEC-65, E-X9: what the observer is told for metrics has no client, path or agent in it", async () => {
    const told: unknown[] = []
    const note = (...values: unknown[]) => void told.push(...values)
    const observer = { acted: note, rateRejected: note, filterHit: note, abuseDetected: note }
    guard = createGuard({ clock, ledger, observer })
    await guard.block({ kind: "agent", value: "BadBot", reason: "scans", by: "ada" })
    for (let client = 0; client < 300; client++) {
      await guard.judge(visit({ client: `user:${client}`, agent: client % 2 === 0 ? "BadBot" : `agent-${client}` }))
      for (let call = 0; call < 2; call++)
        await guard.judge(visit({ client: `user:${client}`, limit: { requests: 1, windowMs: 1_000 } }))
      await guard.credentialFailed(visit({ address: `192.0.2.${client % 5}` }), { user: `user-${client}` })
      await guard.beforeCredential(visit({ address: `192.0.2.${client % 5}` }), `user-${client}`)
    }
    expect(new Set(told).size).toBeLessThan(20)
  })

  test("SEC-65: a million addresses leave no more behind than the bound", () => {
    const store = new MemoryStore({ nowMs: clock.nowMs, mostClients: 1_000 })
    const rate = (at: number) => ({ key: `rate_limit:ip:${at}`, requests: 100, windowMs: 60_000, isEnforced: true })
    for (let at = 0; at < 1_000_000; at++)
      store.ask({ rate: rate(at), blocks: [], times: { key: `request_times:ip:${at}`, isEnforced: true } })
    expect(store.size).toBeLessThanOrEqual(2_000)
    const last = store.ask({ rate: rate(999_999), blocks: [] })
    expect(last.rate).toEqual({ isAdmitted: true, remaining: 98 })
  })

  test("what has run out makes room before what has not", () => {
    const store = new MemoryStore({ nowMs: clock.nowMs, mostClients: 10 })
    for (let at = 0; at < 10; at++) store.block(`old-${at}`, "x", 1_000)
    clock.advance(1_001)
    for (let at = 0; at < 5; at++) store.block(`new-${at}`, "x", 1_000)
    expect(store.size).toBe(5)
  })
})

test("E-20: health is told what is loaded and whether the store is there", async () => {
  expect(guard.counts).toEqual({ addresses: 0, agents: 0, store: { kind: "memory", isUp: true }, held: 0 })
})
