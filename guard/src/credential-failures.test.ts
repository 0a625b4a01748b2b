// Failed credentials by address and by name: guessing is stopped, and no guesser can shut out another.
import { beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { MemoryStore } from "./stores/memory-store.ts"
import { type SettableClock, settableClock } from "./test-support/settable-clock.ts"
import { visit } from "./test-support/visits.ts"

let clock: SettableClock
let ledger: MemoryLedger
let guard: RunningGuard

beforeEach(() => {
  clock = settableClock()
  ledger = new MemoryLedger(clock.date)
  guard = createGuard({ clock, ledger })
})

const login = (address = "203.0.113.7") => visit({ routeClass: "login", address, path: "/auth/login" })
const fail = async (times: number, { address = "203.0.113.7", user = "ada" } = {}) => {
  for (let time = 0; time < times; time++) await guard.credentialFailed(login(address), { user })
}
const before = async (address?: string, user = "ada") => (await guard.beforeCredential(login(address), user)).state

describe("failures by address", () => {
  test("E-10, E-11, E-T4: after 10 failures the 11th attempt is refused before its password is looked at", async () => {
    await fail(9)
    expect(await before()).toBe("throttled")
    await fail(1)
    expect(await guard.beforeCredential(login(), "ada")).toMatchObject({
      state: "soft-blocked",
      rule: "failures-by-address",
      retryAfterSeconds: 300,
    })
    expect(await guard.judge(login())).toMatchObject({ state: "soft-blocked", retryAfterSeconds: 300 })
  })

  test("E-11: of 60 attempts under way at once 10 are told that they were wrong, and then no right one is let in", async () => {
    const told = await Promise.all(Array.from({ length: 60 }, () => guard.credentialFailed(login(), { user: "ada" })))
    expect(told.map(({ state }) => state)).toEqual([
      ...Array<string>(10).fill("allowed"),
      ...Array<string>(50).fill("soft-blocked"),
    ])
    expect(await guard.signedIn(login(), "ada")).toMatchObject({ state: "soft-blocked", rule: "failures-by-address" })
    expect((await guard.signedIn(login("203.0.113.8"), "ada")).state).toBe("allowed")
    expect(await before("203.0.113.9")).toBe("throttled")
    expect(await before("203.0.113.8")).toBe("allowed")
  })

  test("E-11: a block that the store still has stays, however often it is looked at again", async () => {
    await fail(10)
    for (let time = 0; time < 3; time++) {
      clock.advance(5_000)
      expect(await before()).toBe("soft-blocked")
      expect(await before()).toBe("soft-blocked")
    }
  })

  test("E-15: a block is told to operators once, and not for each failure after it", async () => {
    await fail(13)
    await guard.flush()
    expect(ledger.softBlocks).toHaveLength(1)
  })

  test("E-10: a credential that is sent again keeps the time of its first failure", async () => {
    await guard.credentialFailed(login(), { digest: "the same" })
    clock.advance(200_000)
    await guard.credentialFailed(login(), { digest: "the same" })
    expect((await guard.why("ip:203.0.113.7")).failures).toMatchObject([{ count: 1 }])
    clock.advance(100_000)
    expect((await guard.why("ip:203.0.113.7")).failures).toEqual([])
  })

  test("E-11: a block of another replica, once it was met, stands before the credential too", async () => {
    const store = new MemoryStore(clock)
    const [one, other] = [createGuard({ clock, ledger, store }), createGuard({ clock, ledger, store })]
    for (let time = 0; time < 10; time++) await one.credentialFailed(login(), { user: "ada" })
    expect((await other.judge(login())).state).toBe("soft-blocked")
    expect((await other.beforeCredential(login())).state).toBe("soft-blocked")
  })

  test("E-10: on a name each attempt counts, also one with a credential that was tried before", async () => {
    for (let n = 0; n < 14; n++)
      await guard.credentialFailed(login(`198.51.100.${n}`), { user: "ada", digest: "the same" })
    expect(await before("203.0.113.9")).toBe("throttled")
  })

  test("SEC-60: what is known here is answered at once, without a promise", async () => {
    await fail(10)
    expect(guard.beforeCredential(login(), "ada")).not.toBeInstanceOf(Promise)
  })

  test("E-14: from 7 failures on the next attempt waits", async () => {
    await fail(6)
    expect(await before()).toBe("allowed")
    await fail(1)
    expect(await guard.beforeCredential(login(), "ada")).toMatchObject({ state: "throttled", delayMs: 2_000 })
  })

  test("E-32, G4: it ends by itself", async () => {
    await fail(10)
    clock.advance(300_000)
    expect(await before()).toBe("allowed")
  })

  test("failures that left the window do not count", async () => {
    await fail(9, { user: "bob" })
    clock.advance(300_001)
    await fail(1, { user: "bob" })
    expect(await before()).toBe("allowed")
  })

  test("SEC-66: a verified client at the same address goes on working, and so do its neighbours' addresses", async () => {
    await fail(10)
    expect((await guard.judge(visit({ client: "user:1" }))).state).toBe("allowed")
    expect((await guard.judge(visit({ routeClass: "worker", client: "key:1" }))).state).toBe("allowed")
    expect((await guard.judge(visit())).state).toBe("soft-blocked")
    expect(await before("203.0.113.8", "bob")).toBe("allowed")
  })

  test("SEC-66: a program that sends one wrong key for ever counts once in a window, different keys count each", async () => {
    for (let time = 0; time < 50; time++) await guard.credentialFailed(visit(), { digest: "same" })
    expect((await guard.beforeCredential(visit())).state).toBe("allowed")
    for (let time = 0; time < 10; time++) await guard.credentialFailed(visit(), { digest: `key-${time}` })
    expect((await guard.beforeCredential(visit())).state).toBe("soft-blocked")
  })

  test("E-33: stuffing with ten leaked names is stopped within 10 attempts", async () => {
    let attempts = 0
    while ((await before("203.0.113.7", `leaked-${attempts % 10}`)) !== "soft-blocked") {
      await fail(1, { user: `leaked-${attempts % 10}` })
      attempts++
    }
    expect(attempts).toBe(10)
  })

  test("the block is told to the ledger once", async () => {
    await fail(10)
    await before()
    await guard.judge(login())
    await guard.flush()
    expect(ledger.softBlocks).toMatchObject([{ subject: "ip:203.0.113.7", rule: "failures-by-address" }])
  })
})

describe("failures by name", () => {
  const burn = async (user: string) => {
    for (let at = 0; at < 1_000; at++) await fail(1, { address: `198.51.${at >> 8}.${at & 255}`, user })
  }

  test("E-42, SEC-61: a name burnt from 1,000 addresses slows strangers, bars no one, and its owner not at all", async () => {
    await guard.signedIn(login("192.0.2.1"), "ada")
    await burn("ada")
    expect(await before("192.0.2.1")).toBe("allowed")
    expect(await before("192.0.2.2")).toBe("throttled")
    expect((await guard.judge(login("192.0.2.2"))).state).toBe("allowed")
  })

  test("another spelling of the name is the same name", async () => {
    await burn("Ada")
    expect(await before("192.0.2.2", " ADA ")).toBe("throttled")
    expect(await before("192.0.2.2", "\uff41da")).toBe("throttled")
  })

  test("SEC-61: who signs in as one user is not known as another", async () => {
    await guard.signedIn(login("192.0.2.1"), "mallory")
    await burn("ada")
    expect(await before("192.0.2.1")).toBe("throttled")
  })

  test("E-X4, SEC-62, G4: a user named like an address does not touch the address, nor one named anonymous everyone", async () => {
    for (let time = 0; time < 30; time++) {
      await fail(1, { address: `198.51.100.${time}`, user: "203.0.113.7" })
      await fail(1, { address: `198.51.101.${time}`, user: "anonymous" })
    }
    expect(await before("203.0.113.7", "bob")).toBe("allowed")
    expect((await guard.judge(visit())).state).toBe("allowed")
  })

  test("a name of any length costs no more than a digest", async () => {
    await fail(1, { user: "x".repeat(1_000_000) })
    expect((await guard.why(`name:${"x".repeat(200)}`)).failures).toEqual([])
  })
})

describe("shadow", () => {
  test("E-37, E-X6: in shadow nothing is refused, and when it ends nothing is blocked that was not before", async () => {
    await guard.setShadow({ all: true, rules: {} }, "ada")
    await fail(15)
    expect(await before()).toBe("allowed")
    await guard.flush()
    expect(ledger.shadowEvents).toHaveLength(1)
    await guard.setShadow({ all: false, rules: {} }, "ada")
    expect(await before()).toBe("allowed")
    expect((await guard.judge(login())).state).toBe("allowed")
  })
})
