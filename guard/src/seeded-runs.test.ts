// The guard of two replicas over one store, in runs that a seed draws: requests, wrong credentials, operators and time in any order. A run
// that fails is made shorter, and printed with the seed that repeats it.
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createGuard } from "./create-guard.ts"
import type { RunningGuard } from "./guard.ts"
import type { ShadowEvent } from "./ledger.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { memory, type OpenedStore, redis } from "./test-support/store-kinds.ts"
import { visit } from "./test-support/visits.ts"
import type { Verdict } from "./verdict.ts"

const LIMIT = 5
/** Time passes in steps of seven minutes: a machine may stand still for some of them, and no call is near the edge of the window. */
const WINDOW_MS = 3_600_000
const STEP_MS = 420_000
const SEVERITIES: readonly Verdict["state"][] = ["allowed", "throttled", "soft-blocked", "hard-blocked"]

type Act = "call" | "fail" | "block" | "unblock" | "forgive" | "shadow" | "pass"
interface Move {
  readonly act: Act
  /** Which of the callers; or for how long. */
  readonly who: number
  /** Which of the replicas. */
  readonly at: number
}

const moves = fc.array(
  fc.record({
    act: fc.oneof(
      { weight: 10, arbitrary: fc.constant<Act>("call") },
      { weight: 6, arbitrary: fc.constant<Act>("fail") },
      { weight: 4, arbitrary: fc.constantFrom<Act>("block", "unblock", "forgive", "shadow") },
      { weight: 2, arbitrary: fc.constant<Act>("pass") },
    ),
    who: fc.nat({ max: 2 }),
    at: fc.nat({ max: 1 }),
  }),
  { minLength: 10, maxLength: 60 },
)

interface Call {
  readonly atMs: number
  readonly isAllowed: boolean
}

let runs = 0

/** What must be true, kept beside the guard: who is blocked, and which calls were counted when. */
class Run {
  readonly #opened: OpenedStore
  readonly #guards: readonly RunningGuard[]
  readonly #events: ShadowEvent[] = []
  readonly #net = `10.${(++runs >> 8) & 255}.${runs & 255}`
  readonly #blocked = new Set<string>()
  readonly #counted = new Map<string, readonly Call[]>()
  /** The worst that each address was told in this moment. */
  readonly #worst = new Map<string, number>()
  #isShadow = false

  constructor(opened: OpenedStore) {
    this.#opened = opened
    const { clock, store } = opened
    const ledger = new MemoryLedger(clock.date)
    const observer = { wouldAct: (event: ShadowEvent) => void this.#events.push(event) }
    const limits = { gateway: { requests: LIMIT, windowMs: WINDOW_MS } }
    // So small that it takes every other address for a blocked one.
    const filter = { capacity: 4, errorRate: 0.5 }
    this.#guards = [0, 1].map(() => createGuard({ clock, store, ledger, limits, observer, filter, refreshMs: 0 }))
  }

  async play(all: readonly Move[]): Promise<void> {
    for (const guard of this.#guards) {
      await guard.rebuild()
      await guard.refresh()
    }
    for (const { act, who, at } of all) {
      if (act === "pass") await this.#opened.pass(STEP_MS * (1 + 2 * who))
      await this.#do(act, `${this.#net}.${who}`, this.#guards[at] as RunningGuard)
      await this.#callBystander(this.#guards[1 - at] as RunningGuard)
    }
  }

  async #do(act: Act, address: string, guard: RunningGuard): Promise<void> {
    if (act === "call") return this.#call(address, guard)
    if (act === "fail") return this.#fail(address, guard)
    if (act === "block") await this.#block(address, guard)
    if (act === "unblock") await this.#unblock(address, guard)
    if (act === "forgive") await guard.forgive(`ip:${address}`, "ada")
    if (act === "shadow") await this.#switchShadow(guard)
    this.#worst.clear()
    for (const each of this.#guards) await each.refresh()
  }

  async #block(address: string, guard: RunningGuard): Promise<void> {
    await guard.block({ kind: "address", value: address, reason: "drawn", by: "ada" })
    this.#blocked.add(address)
  }

  /** G4: it counts everywhere when the replicas have looked. */
  async #unblock(address: string, guard: RunningGuard): Promise<void> {
    expect(await guard.unblock({ kind: "address", value: address }, "ada")).toBe(this.#blocked.delete(address))
  }

  async #switchShadow(guard: RunningGuard): Promise<void> {
    this.#isShadow = !this.#isShadow
    await guard.setShadow({ all: this.#isShadow, rules: {} }, "ada")
  }

  async #call(address: string, guard: RunningGuard): Promise<void> {
    const before = this.#events.length
    const verdict = await guard.judge(visit({ address }))
    if (this.#isShadow) return this.#judgeShadow(address, verdict, this.#events.slice(before))
    // G2: an exact set decides, whatever the filter says.
    expect(verdict.state === "hard-blocked").toBe(this.#blocked.has(address))
    if (verdict.state !== "hard-blocked") this.#judgeRate(address, verdict)
  }

  /** G1: never more than the limit in a window, and refused for it only where so many were not. Whom a soft block refuses was counted. */
  #judgeRate(address: string, verdict: Verdict): void {
    const counted = this.#inWindow(address)
    const isAllowed = verdict.state === "allowed"
    if (isAllowed) expect(counted.filter((call) => call.isAllowed).length).toBeLessThan(LIMIT)
    if (!isAllowed && verdict.rule === "rate") expect(counted.length).toBeGreaterThanOrEqual(LIMIT)
    else this.#counted.set(address, [...counted, { atMs: this.#opened.clock.nowMs(), isAllowed }])
  }

  /** G3: nothing is refused, and what would have been is noted once. */
  #judgeShadow(address: string, verdict: Verdict, events: readonly ShadowEvent[]): void {
    expect(verdict.state).toBe("allowed")
    expect(events.length).toBeLessThanOrEqual(1)
    expect(events.some(({ state }) => state === "hard-blocked")).toBe(this.#blocked.has(address))
  }

  /** G4: within a moment more failures never get a milder answer. */
  async #fail(address: string, guard: RunningGuard): Promise<void> {
    await guard.credentialFailed(visit({ address, routeClass: "login" }), {})
    const { state } = await guard.beforeCredential(visit({ address, routeClass: "login" }))
    const severity = SEVERITIES.indexOf(state)
    expect(severity).toBeGreaterThanOrEqual(this.#isShadow ? 0 : (this.#worst.get(address) ?? 0))
    this.#worst.set(address, severity)
  }

  /** G4: one who stays below the limit is served, whatever the others have done. */
  async #callBystander(guard: RunningGuard): Promise<void> {
    const address = `${this.#net}.200`
    if (this.#inWindow(address).length >= LIMIT) return
    const verdict = await guard.judge(visit({ address }))
    expect(verdict.state).toBe("allowed")
    this.#judgeRate(address, verdict)
  }

  #inWindow(address: string): readonly Call[] {
    const sinceMs = this.#opened.clock.nowMs() - WINDOW_MS
    return (this.#counted.get(address) ?? []).filter(({ atMs }) => atMs > sinceMs)
  }
}

const KINDS = [
  { ...memory, numRuns: 300 },
  { ...redis, numRuns: 100 },
]

describe.each(KINDS)("with a store in $name", ({ isSkipped, open, numRuns }) => {
  describe.skipIf(isSkipped)("in any order of events", () => {
    let opened: OpenedStore
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.end())

    test("G1, G2, G3, G4: limits hold over both replicas, exact blocks decide, shadow refuses nobody, and a bystander is served", async () => {
      await fc.assert(
        fc.asyncProperty(moves, (all) => new Run(opened).play(all)),
        { numRuns },
      )
    })
  })
})
