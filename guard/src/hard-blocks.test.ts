// The filters: refreshed in place, confirmed exactly, kept when the ledger cannot be read.
import { beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import type { Blocked } from "./ledger.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { type SettableClock, settableClock } from "./test-support/settable-clock.ts"
import { visit } from "./test-support/visits.ts"

/** A ledger that can be away, and that counts how often it is asked. */
class FrailLedger extends MemoryLedger {
  isAway = false
  lookups = 0

  override async *blocks(): AsyncIterable<Blocked> {
    for await (const blocked of super.blocks()) {
      if (this.isAway) throw new Error("the ledger is away")
      yield blocked
    }
    if (this.isAway) throw new Error("the ledger is away")
  }

  /** What was found waits for it. */
  gate: Promise<void> | undefined

  override async findBlock(blocked: Blocked) {
    this.lookups++
    if (this.isAway) throw new Error("the ledger is away")
    const found = super.findBlock(blocked)
    await this.gate
    return found
  }
}

let clock: SettableClock
let ledger: FrailLedger
let guard: RunningGuard
let hits: [string, boolean][]
let failures: string[]
const bad = { kind: "address", value: "203.0.113.7" } as const
const block = (value: string = bad.value, until?: Date) => ({
  kind: "address" as const,
  value,
  reason: "scans",
  by: "ada",
  at: clock.date(),
  until,
})
const judge = async (address: string = bad.value) => (await guard.judge(visit({ address, client: "user:1" }))).state

beforeEach(async () => {
  clock = settableClock()
  ledger = new FrailLedger(clock.date)
  hits = []
  failures = []
  guard = createGuard({
    clock,
    ledger,
    refreshMs: 0,
    filter: { capacity: 1_000 },
    observer: { filterHit: (...hit) => hits.push(hit), ledgerFailed: (what) => failures.push(what) },
  })
})

describe("the filters", () => {
  test("E-05: they are made from the ledger at the start", async () => {
    await ledger.addBlock(block())
    await guard.start()
    expect(guard.counts).toMatchObject({ addresses: 1, agents: 0 })
    expect(await judge()).toBe("hard-blocked")
    expect(hits).toEqual([["address", true]])
  })

  test("E-X1, E-T9, E-05: the one that requests are judged by is made anew every 60 s", async () => {
    await guard.start()
    await ledger.addBlock(block())
    clock.advance(59_999)
    expect(await judge()).toBe("allowed")
    clock.advance(1)
    await expect.poll(() => judge()).toBe("hard-blocked")
    await ledger.removeBlock(bad)
    await expect
      .poll(() => {
        clock.advance(60_000)
        return guard.counts.addresses
      })
      .toBe(0)
  })

  test("E-T9, E-05: when the ledger cannot be read the old filters stay, half a read included", async () => {
    await ledger.addBlock(block())
    await guard.start()
    await ledger.addBlock(block("203.0.113.8"))
    ledger.isAway = true
    await guard.rebuild()
    expect(failures).toEqual(["the filters could not be made anew"])
    expect(guard.counts.addresses).toBe(1)
    ledger.isAway = false
    await guard.rebuild()
    expect(guard.counts.addresses).toBe(2)
  })

  test("E-06: a block that is made while the filters are made anew is not lost", async () => {
    for (let at = 0; at < 20; at++) await ledger.addBlock(block(`198.51.100.${at}`))
    const rebuilding = guard.rebuild()
    await guard.block({ ...bad, reason: "scans", by: "ada" })
    await rebuilding
    expect(await judge()).toBe("hard-blocked")
  })

  test("E-05: two rebuilds at once are one, and lose no block that is made meanwhile", async () => {
    for (let at = 0; at < 20; at++) await ledger.addBlock(block(`198.51.100.${at}`))
    const rebuilding = [guard.rebuild(), guard.rebuild()]
    await guard.block({ ...bad, reason: "scans", by: "ada" })
    await Promise.all(rebuilding)
    expect([failures, await judge()]).toEqual([[], "hard-blocked"])
  })

  test("E-04: who is not in a filter costs no look-up", async () => {
    await ledger.addBlock(block())
    await guard.start()
    for (let at = 0; at < 50; at++) await judge(`192.0.2.${at}`)
    expect(ledger.lookups).toBe(0)
  })

  test("an answer of the ledger is kept for 5 s: a flood from a blocked address is one look-up", async () => {
    await ledger.addBlock(block())
    await guard.start()
    for (let at = 0; at < 50; at++) await judge()
    expect(ledger.lookups).toBe(1)
  })

  test("a flood that arrives before the first answer is one look-up too, and each of it is refused and counted", async () => {
    await ledger.addBlock(block())
    await guard.start()
    const flood = Array.from({ length: 50 }, () => judge())
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["hard-blocked"]))
    expect([ledger.lookups, hits.length]).toEqual([1, 50])
  })

  test("an answer that was under way when the block was lifted is not kept: the next request asks anew", async () => {
    await ledger.addBlock(block())
    await guard.start()
    let answer = () => {}
    ledger.gate = new Promise((resolve) => (answer = resolve))
    const early = judge()
    await guard.unblock(bad, "ada")
    answer()
    expect(await early).toBe("hard-blocked")
    expect(await judge()).toBe("allowed")
  })

  test("a look-up that fails is reported once for all that waited for it, and the next request tries again", async () => {
    await ledger.addBlock(block())
    await guard.start()
    ledger.isAway = true
    const flood = Array.from({ length: 20 }, () => judge())
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["allowed"]))
    expect([ledger.lookups, failures.length]).toEqual([1, 1])
    ledger.isAway = false
    expect(await judge()).toBe("hard-blocked")
  })
})

describe("confirmation", () => {
  test("F76, G2: a filter with ten times what it is made for blocks no innocent", async () => {
    guard = createGuard({ clock, ledger, filter: { capacity: 100 } })
    for (let at = 0; at < 1_000; at++) await ledger.addBlock(block(`10.0.${at >> 8}.${at & 255}`))
    await guard.start()
    const innocent = Array.from({ length: 1_000 }, (_, at) => `192.0.${at >> 8}.${at & 255}`)
    const found = await Promise.all(innocent.map((address) => judge(address)))
    expect(ledger.lookups).toBeGreaterThan(100)
    expect(found.filter((state) => state === "hard-blocked")).toEqual([])
  })

  test("E-X8, G4: an unblock elsewhere counts here within 5 s, though nothing is heard of it", async () => {
    await ledger.addBlock(block())
    await guard.start()
    expect(await judge()).toBe("hard-blocked")
    await ledger.removeBlock(bad)
    clock.advance(5_000)
    expect(await judge()).toBe("allowed")
  })

  test("E-06, G4: what another replica blocks and unblocks counts as soon as this one asks what has changed", async () => {
    await guard.start()
    await ledger.addBlock(block())
    await guard.refresh()
    expect(await judge()).toBe("hard-blocked")
    await ledger.removeBlock(bad)
    await guard.refresh()
    expect(await judge()).toBe("allowed")
  })

  test("a block with an end ends", async () => {
    await ledger.addBlock(block(bad.value, new Date(clock.date().getTime() + 60_000)))
    await guard.start()
    expect(await judge()).toBe("hard-blocked")
    clock.advance(60_000)
    expect(await judge()).toBe("allowed")
  })

  test("G5: while the ledger is away its last word stands; of who was never looked up, the setting decides", async () => {
    await ledger.addBlock(block())
    await ledger.addBlock(block("203.0.113.8"))
    await guard.start()
    const closed = createGuard({ clock, ledger, failMode: "closed", filter: { capacity: 1_000 } })
    await closed.start()
    await judge()
    ledger.isAway = true
    clock.advance(60_000)
    expect(await judge()).toBe("hard-blocked")
    expect(await judge("203.0.113.8")).toBe("allowed")
    expect(await closed.judge(visit({ address: "203.0.113.8" }))).toMatchObject({ isUnavailable: true })
  })
})
