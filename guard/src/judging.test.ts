// The chain after authentication, on a memory and a clock that is moved.
import { beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { ROUTE_CLASSES } from "./route-class.ts"
import { type SettableClock, settableClock } from "./test-support/settable-clock.ts"
import { visit } from "./test-support/visits.ts"
import { ALLOWED } from "./verdict.ts"

let clock: SettableClock
let ledger: MemoryLedger
let guard: RunningGuard

beforeEach(async () => {
  clock = settableClock()
  ledger = new MemoryLedger(clock.date)
  guard = createGuard({ clock, ledger, random: () => 0.5 })
  await guard.start()
})

const states = async (count: number, parts = {}) =>
  (await Promise.all(Array.from({ length: count }, () => guard.judge(visit(parts))))).map(({ state }) => state)
const count = (found: readonly string[], state: string) => found.filter((one) => one === state).length

describe("the rate", () => {
  test("E-F1, E-T2, E-30: of 150 parallel calls exactly 100 are allowed and 50 refused, and of the next 150 none is allowed", async () => {
    const first = await states(150, { client: "user:1" })
    expect([count(first, "allowed"), count(first, "soft-blocked")]).toEqual([100, 50])
    expect(count(await states(150, { client: "user:1" }), "soft-blocked")).toBe(150)
  })

  test("E-07, E-08: what is left is told, and a refusal says the window", async () => {
    expect(await guard.judge(visit())).toEqual({ state: "allowed", remaining: 99 })
    await states(99)
    expect(await guard.judge(visit())).toMatchObject({ state: "soft-blocked", rule: "rate", retryAfterSeconds: 60 })
  })

  test("E-T1, G1: N calls before the edge of a minute leave none for after it, and each comes free as it leaves the window", async () => {
    clock.advance(59_000)
    expect(count(await states(100), "allowed")).toBe(100)
    clock.advance(2_000)
    expect(count(await states(100), "allowed")).toBe(0)
    clock.advance(57_999)
    expect(count(await states(100), "allowed")).toBe(0)
    clock.advance(1)
    expect(count(await states(101), "allowed")).toBe(100)
  })

  test("E-09: clients behind one address have limits of their own", async () => {
    await states(100, { client: "user:1" })
    expect((await guard.judge(visit({ client: "user:2" }))).state).toBe("allowed")
    expect((await guard.judge(visit())).state).toBe("allowed")
  })

  test("E-X11: callers without a credential are counted by their address: they share no limit, no rhythm and no failures", async () => {
    const [one, other] = [{ address: "203.0.113.7" }, { address: "203.0.113.8" }]
    await states(100)
    expect((await guard.judge(visit(other))).state).toBe("allowed")
    clock.advance(3_600_000)
    for (let n = 0; n < 20; n++) {
      clock.advance(500)
      await guard.judge(visit(one))
    }
    expect([(await guard.judge(visit(one))).state, (await guard.judge(visit(other))).state]).toEqual([
      "soft-blocked",
      "allowed",
    ])
    for (let n = 0; n < 10; n++) await guard.credentialFailed(visit(one), { user: `user-${n}` })
    const before = async (who: object) => (await guard.beforeCredential(visit(who), "ada")).state
    expect([await before(one), await before(other)]).toEqual(["soft-blocked", "allowed"])
  })

  test.each(ROUTE_CLASSES)("E-38: class %s has the limit that is stated for it", async (routeClass) => {
    const found = await states(300, { routeClass, client: "key:1" })
    const isLimited = ["public", "login", "gateway"].includes(routeClass)
    expect(count(found, "allowed")).toBe(isLimited ? 100 : 300)
  })

  test("E-38: a limit on the key counts in any class, over all classes together", async () => {
    const limit = { requests: 3, windowMs: 1_000 }
    const classes = ["worker", "client", "worker", "stream"] as const
    const found = await Promise.all(
      classes.map((routeClass) => guard.judge(visit({ routeClass, client: "key:1", limit }))),
    )
    expect(found.map(({ state }) => state)).toEqual(["allowed", "allowed", "allowed", "soft-blocked"])
    expect((await guard.judge(visit({ routeClass: "health", client: "key:1", limit }))).state).toBe("allowed")
  })
})

describe("regularity", () => {
  const callEvery = async (gapMs: (at: number) => number, calls: number, parts = {}) => {
    for (let at = 1; at <= calls; at++) {
      const verdict = await guard.judge(visit(parts))
      if (verdict.state !== "allowed") return { at, verdict }
      clock.advance(gapMs(at))
    }
    return undefined
  }

  test("E-12, E-X3: a scraper that calls every 0.5 s is found within 20 requests", async () => {
    const found = await callEvery((at) => 500 + ((at * 7) % 20), 40)
    expect(found?.verdict).toMatchObject({ state: "soft-blocked", rule: "regularity", retryAfterSeconds: 300 })
    expect(found?.at).toBeLessThanOrEqual(20)
    expect(await guard.why("ip:203.0.113.7")).toMatchObject({
      softBlocks: [
        { rule: "regularity", reason: expect.stringMatching(/14 calls, every 0\.5\d s with a deviation of 0\.00\d s/) },
      ],
    })
  })

  test("E-13, E-32: the block ends by itself after 300 s, and the client begins afresh", async () => {
    await callEvery(() => 500, 40)
    clock.advance(299_999)
    expect((await guard.judge(visit())).state).toBe("soft-blocked")
    clock.advance(1)
    expect((await guard.judge(visit())).state).toBe("allowed")
    expect((await callEvery(() => 500, 10))?.at).toBeUndefined()
  })

  test("E-38: a limit of the key counts in place of the limit of a class that has one", async () => {
    const call = () => guard.judge(visit({ client: "key:9", limit: { requests: 2, windowMs: 60_000 } }))
    const states = [await call(), await call(), await call()].map(({ state }) => state)
    expect(states).toEqual(["allowed", "allowed", "soft-blocked"])
  })

  test("E-12: a scraper that goes on after its block is found as soon as the first time", async () => {
    const first = await callEvery(() => 500, 40)
    clock.advance(300_000)
    expect((await callEvery(() => 500, 40))?.at).toBe(first?.at)
  })

  test("E-14: regular, but not as a machine is, it is slowed down and served", async () => {
    const found = await callEvery((at) => 4000 + (at % 2 === 0 ? 360 : -360), 25)
    expect(found).toMatchObject({ at: 20, verdict: { state: "throttled", rule: "regularity", delayMs: 2_000 } })
  })

  test("E-12, E-38: a rhythm counts in its own class alone: harmless calls do not shut the sign-in of an address", async () => {
    expect((await callEvery(() => 500, 40, { routeClass: "public" }))?.verdict.state).toBe("soft-blocked")
    for (const routeClass of ["login", "gateway"] as const)
      expect((await guard.judge(visit({ routeClass }))).state).toBe("allowed")
    expect((await guard.judge(visit({ routeClass: "public" }))).state).toBe("soft-blocked")
    clock.advance(60_000)
    expect((await callEvery(() => 500, 40, { routeClass: "login" }))?.verdict.state).toBe("soft-blocked")
    expect(await guard.why("ip:203.0.113.7")).toMatchObject({
      softBlocks: [
        { reason: expect.stringContaining("class public") },
        { reason: expect.stringContaining("class login") },
      ],
    })
    expect(await guard.forgive("ip:203.0.113.7", "ada")).toBe(true)
    for (const routeClass of ["public", "login"] as const)
      expect((await guard.judge(visit({ routeClass }))).state).toBe("allowed")
  })

  test("E-12, E-38: calls of several classes in turn are found in each of them", async () => {
    const found = []
    for (let at = 0; at < 40; at++) {
      const routeClass = at % 2 === 0 ? "public" : "gateway"
      if ((await guard.judge(visit({ routeClass }))).state === "soft-blocked") found.push(routeClass)
      clock.advance(500)
    }
    expect(new Set(found)).toEqual(new Set(["public", "gateway"]))
  })

  test("E-38: workers that poll every 500 ms and scrapes every 15 s are not looked at", async () => {
    for (const routeClass of ["worker", "client", "stream", "metrics", "admin", "health"] as const)
      expect(await callEvery(() => 500, 60, { routeClass, client: `key:${routeClass}` })).toBeUndefined()
  })
})

describe("blocked addresses and agents", () => {
  const operator = { reason: "scans", by: "ada" }

  test("E-04, E-06, E-T7: a block counts at the next request, and is refused for good", async () => {
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    await guard.block({ kind: "agent", value: "BadBot/1.0", ...operator })
    expect(await guard.judge(visit())).toEqual({ state: "hard-blocked", rule: "blocked-address", reason: "scans" })
    expect(await guard.judge(visit({ address: "203.0.113.9", agent: "BadBot/1.0" }))).toMatchObject({
      state: "hard-blocked",
      rule: "blocked-agent",
    })
    expect((await guard.judge(visit({ address: "203.0.113.9", agent: "Good/1.0" }))).state).toBe("allowed")
  })

  test("E-04: an agent is the same in capitals, and with spaces around it", async () => {
    const agent = (text: string) => guard.judge(visit({ agent: text }))
    await guard.block({ kind: "agent", value: " BadBot/1.0 ", ...operator })
    for (const text of ["BadBot/1.0", "badbot/1.0", "BADBOT/1.0 "])
      expect(await agent(text)).toMatchObject({ state: "hard-blocked", rule: "blocked-agent" })
    expect((await agent("BadBot/1.0 (more)")).state).toBe("allowed")
    expect(await guard.why("agent:badBOT/1.0")).toMatchObject({ hardBlock: { reason: "scans" }, isInFilter: true })
    expect(await guard.unblock({ kind: "agent", value: "BADBOT/1.0" }, "ada")).toBe(true)
    expect((await agent("BadBot/1.0")).state).toBe("allowed")
  })

  test("E-X8: an unblock counts at the next request, though the filter still holds the address", async () => {
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    await guard.judge(visit())
    expect(await guard.unblock({ kind: "address", value: "203.0.113.7" }, "ada")).toBe(true)
    expect((await guard.judge(visit())).state).toBe("allowed")
    expect((await guard.why("ip:203.0.113.7")).isInFilter).toBe(true)
  })

  test("E-01: a blocked caller is not counted by the rules after it", async () => {
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    await states(150)
    await guard.unblock({ kind: "address", value: "203.0.113.7" }, "ada")
    expect(await guard.judge(visit())).toEqual({ state: "allowed", remaining: 99 })
  })

  test("E-X5: credentials are looked at first unless blocks are set to come first", async () => {
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    expect((await guard.beforeCredential(visit())).state).toBe("allowed")
    const other = createGuard({ clock, ledger, blocksFirst: true })
    await other.start()
    expect((await other.beforeCredential(visit())).state).toBe("hard-blocked")
    expect([guard.beforeAll(visit()), (await other.beforeAll(visit())).state]).toEqual([ALLOWED, "hard-blocked"])
  })

  test("E-X5: blocks that come first refuse no caller for what others at its address have tried", async () => {
    const other = createGuard({ clock, ledger, blocksFirst: true })
    for (let n = 0; n < 10; n++) await other.credentialFailed(visit(), {})
    expect((await other.beforeCredential(visit())).state).toBe("soft-blocked")
    expect((await other.beforeAll(visit())).state).toBe("allowed")
  })
})
