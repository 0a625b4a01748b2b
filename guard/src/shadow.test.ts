// Rules in shadow: answers as if they were off, and one note for each request that they would have acted on.
import { beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import type { ShadowEvent } from "./ledger.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { MemoryStore } from "./stores/memory-store.ts"
import { type SettableClock, settableClock } from "./test-support/settable-clock.ts"
import { visit } from "./test-support/visits.ts"
import type { Rule } from "./verdict.ts"

let clock: SettableClock
let ledger: MemoryLedger
let guard: RunningGuard
let lines: ShadowEvent[]
const operator = { reason: "scans", by: "ada" }

beforeEach(() => {
  clock = settableClock()
  ledger = new MemoryLedger(clock.date)
  lines = []
  guard = createGuard({ clock, ledger, observer: { wouldAct: (event) => lines.push(event) } })
})

const shadow = (...rules: Rule[]) =>
  guard.setShadow({ all: false, rules: Object.fromEntries(rules.map((rule) => [rule, true])) }, "ada")
const states = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => guard.judge(visit())))).map(({ state }) => state)
const noted = async () => {
  await guard.flush()
  return ledger.shadowEvents
}

test("E-15, E-37: what would have been slowed down is noted from what was counted in shadow, and from nothing else", async () => {
  const login = () => visit({ routeClass: "login" })
  const fail = async () => {
    for (let time = 0; time < 7; time++) await guard.credentialFailed(login(), {})
  }
  await fail()
  await shadow("failures-by-address")
  expect((await guard.beforeCredential(login(), "ada")).state).toBe("allowed")
  expect(await noted()).toEqual([])
  await fail()
  expect((await guard.beforeCredential(login(), "ada")).state).toBe("allowed")
  expect(await noted()).toMatchObject([{ rule: "failures-by-address", state: "throttled" }])
})

test("E-37: a block in shadow does not hide an enforced one that another replica has made", async () => {
  const store = new MemoryStore(clock)
  const [one, other] = [createGuard({ clock, ledger, store }), createGuard({ clock, ledger, store })]
  await one.softBlock("203.0.113.7", { reason: "by hand", by: "ada" })
  for (let time = 0; time < 10; time++) await one.credentialFailed(visit(), {})
  await other.setShadow({ all: false, rules: { "blocked-address": true } }, "ada")
  expect(await other.judge(visit())).toMatchObject({ state: "soft-blocked", rule: "failures-by-address" })
})

describe("as a whole", () => {
  beforeEach(() => guard.setShadow({ all: true, rules: {} }, "ada"))

  test("E-15, E-X10: Bloom, rate and abuse rules let requests pass, and each is noted with what it would have done", async () => {
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    const blocked = visit({ requestId: "r-1" })
    expect(await guard.judge(blocked)).toEqual({ state: "allowed" })
    expect(await noted()).toEqual([
      {
        requestId: "r-1",
        rule: "blocked-address",
        state: "hard-blocked",
        client: "ip:203.0.113.7",
        routeClass: "gateway",
        path: "/gateway/*",
        reason: "scans",
        at: clock.date(),
      },
    ])
    expect(lines).toEqual(ledger.shadowEvents)
  })

  test("E-15: a caller that sends the same request id again and again is noted for each request", async () => {
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    for (let n = 0; n < 5; n++) await guard.judge(visit({ requestId: "mine" }))
    expect(await noted()).toHaveLength(5)
  })

  test("E-15: a request that is asked about before its credential and after it is noted once", async () => {
    const before = visit({ client: undefined })
    for (let n = 0; n < 10; n++) await guard.credentialFailed(before, { digest: `guess ${n}` })
    const asked = visit({ client: undefined })
    await guard.beforeCredential(asked)
    const count = (await noted()).length
    await guard.judge({ ...asked, before: asked })
    expect(await noted()).toHaveLength(count)
    await guard.judge(visit({ client: undefined }))
    expect(await noted()).toHaveLength(count + 1)
  })

  test("G3: entries are as many as requests that the rules would have refused, with no rate headers on any", async () => {
    expect(await states(150)).toEqual(Array(150).fill("allowed"))
    expect(await guard.judge(visit())).toEqual({ state: "allowed" })
    expect((await noted()).map(({ rule }) => rule)).toEqual(Array(51).fill("rate"))
  })

  test("E-15: a request that several rules would have refused, before and after its credential, is noted once", async () => {
    const login = visit({ routeClass: "login" })
    for (let time = 0; time < 10; time++) await guard.credentialFailed(login, { user: "ada" })
    await guard.judge(login)
    await guard.beforeCredential(login, "ada")
    expect(await noted()).toHaveLength(1)
  })

  test("E-X6: a scraper in shadow is noted and not blocked, nor when shadow is turned off", async () => {
    for (let at = 0; at < 30; at++) {
      expect((await guard.judge(visit())).state).toBe("allowed")
      clock.advance(500)
    }
    expect((await noted()).map(({ rule }) => rule)).toEqual(Array(17).fill("regularity"))
    expect(ledger.softBlocks).toEqual([])
    await guard.setShadow({ all: false, rules: {} }, "ada")
    expect(await guard.judge(visit())).toEqual({ state: "allowed", remaining: 99 })
  })

  test("E-37: authentication is none of its rules: a failed credential is counted, not forgiven", async () => {
    await guard.setShadow({ all: false, rules: {} }, "ada")
    for (let time = 0; time < 10; time++) await guard.credentialFailed(visit(), {})
    expect((await guard.judge(visit())).state).toBe("soft-blocked")
  })
})

describe("of one rule", () => {
  test("SEC-67: the others are enforced, and what the one would have ended is seen by them", async () => {
    await shadow("blocked-address")
    await guard.block({ kind: "address", value: "203.0.113.7", ...operator })
    const found = await states(101)
    expect(found.filter((state) => state === "allowed")).toHaveLength(100)
    expect((await noted()).map(({ rule }) => rule)).toEqual(Array(101).fill("blocked-address"))
  })

  test("SEC-67: a rule in shadow beyond its limit does not blind a rule that is enforced", async () => {
    await shadow("rate")
    guard = createGuard({ clock, ledger, shadow: guard.shadow, limits: { gateway: { requests: 1, windowMs: 60_000 } } })
    const found: string[] = []
    for (let at = 0; at < 14; at++) {
      found.push((await guard.judge(visit())).state)
      clock.advance(500)
    }
    expect(found.at(-1)).toBe("soft-blocked")
  })

  test("E-X6: counters in shadow are no part of the enforced ones, nor the other way round", async () => {
    await states(60)
    await shadow("rate")
    await states(60)
    await shadow()
    expect(await guard.judge(visit())).toEqual({ state: "allowed", remaining: 39 })
  })
})

describe("the switch", () => {
  test("E-16: without a setting in the ledger the process goes by what it was started with", async () => {
    const started = createGuard({ clock, ledger, shadow: { all: true, rules: {} } })
    await started.refresh()
    expect(started.shadow.all).toBe(true)
    expect(createGuard({ clock, ledger }).shadow.all).toBe(false)
  })

  test("E-16, E-37: it takes effect at the next request here, and on another replica when it asks what has changed", async () => {
    const other = createGuard({ clock, ledger, refreshMs: 500 })
    await other.start()
    await guard.setShadow({ all: true, rules: {} }, "ada")
    expect([guard.shadow.all, other.shadow.all]).toEqual([true, false])
    clock.advance(500)
    await expect.poll(() => other.shadow.all).toBe(true)
    await guard.setShadow({ all: false, rules: {} }, "ada")
    await expect
      .poll(() => {
        clock.advance(500)
        return other.shadow.all
      })
      .toBe(false)
    await other.close()
  })

  test("SEC-67: a rule that is taken out of shadow enforces while the others stay in it", async () => {
    await guard.setShadow({ all: true, rules: { rate: false } }, "ada")
    expect((await states(101)).at(-1)).toBe("soft-blocked")
    await guard.setShadow({ all: true, rules: {} }, "ada")
    expect(new Set(await states(101))).toEqual(new Set(["allowed"]))
  })

  test("E-37, F77: a read that began before the switch does not turn it back", async () => {
    const stale = await ledger.changesSince(undefined)
    let answer = (_: typeof stale) => {}
    ledger.changesSince = () => new Promise((resolve) => (answer = resolve))
    const reading = guard.refresh()
    await guard.setShadow({ all: true, rules: {} }, "ada")
    answer(stale)
    await reading
    expect(guard.shadow.all).toBe(true)
  })

  test("E-43: part E's rules enforce by default", async () => {
    expect(guard.shadow).toEqual({ all: false, rules: {} })
  })
})
