// One suite for all stores: what holds in memory holds in the memory of another process, and in Redis.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { settableClock } from "../test-support/settable-clock.ts"
import { distant, memory, type OpenedStore, redis } from "../test-support/store-kinds.ts"
import { MemoryStore } from "./memory-store.ts"
import type { Question, RateQuestion, Store } from "./store.ts"

describe.each([memory, distant, redis])("a store in $name", ({ isSkipped, open }) => {
  describe.skipIf(isSkipped)("answers", () => {
    let opened: OpenedStore
    let store: Store
    let key = ""
    let made = 0
    beforeAll(async () => {
      opened = await open()
      store = opened.store
    })
    afterAll(() => opened.end())
    beforeEach(() => {
      key = `key-${++made}`
    })

    const rate = (parts: Partial<RateQuestion> = {}): RateQuestion => ({
      key,
      requests: 10,
      windowMs: 60_000,
      isEnforced: true,
      ...parts,
    })
    const ask = (question: Partial<Question>) => store.ask({ blocks: [], ...question })
    const admitted = async (calls: number, parts: Partial<RateQuestion> = {}) => {
      const answers = await Promise.all(Array.from({ length: calls }, () => ask({ rate: rate(parts) })))
      return answers.filter(({ rate: found }) => found?.isAdmitted).length
    }
    const block = (name: string, isEnforced = true) => ({ key: name, isEnforced })

    test("E-X2, E-T2, E-30: calls of the same moment are entries of their own, and exactly the limit passes", async () => {
      expect(await admitted(30)).toBe(10)
      expect(await admitted(30)).toBe(0)
    })

    test("E-07: each admitted call tells what is left", async () => {
      const first = await ask({ rate: rate({ requests: 2 }) })
      const second = await ask({ rate: rate({ requests: 2 }) })
      const third = await ask({ rate: rate({ requests: 2 }) })
      expect([first, second, third].map((answer) => answer.rate)).toEqual([
        { isAdmitted: true, remaining: 1 },
        { isAdmitted: true, remaining: 0 },
        { isAdmitted: false, remaining: 0 },
      ])
    })

    test("G1, E-T1: a call comes free when it leaves the window, and refused calls do not keep it shut", async () => {
      expect(await admitted(12)).toBe(10)
      await opened.pass(60_001)
      expect(await admitted(12)).toBe(10)
    })

    test("E-01: a refusal by the rate ends the questions, in shadow for the rules in shadow alone", async () => {
      const full = { requests: 0, windowMs: 1_000 }
      const times = { key: `${key}-times`, isEnforced: true }
      expect(await ask({ rate: rate(full), times })).toEqual({ rate: { isAdmitted: false, remaining: 0 } })
      const shadow = rate({ ...full, isEnforced: false })
      expect((await ask({ rate: shadow, times })).timesMs).toHaveLength(1)
      expect((await ask({ rate: shadow, times: { ...times, isEnforced: false } })).timesMs).toBeUndefined()
    })

    test("E-13: a block is found with its reason until it runs out", async () => {
      await store.block(key, "scraping", 60_000)
      expect((await ask({ blocks: [block(`${key}-other`), block(key)] })).block).toMatchObject({
        key,
        reason: "scraping",
      })
      expect(await store.blockLeftMs(key)).toBeGreaterThan(0)
      await opened.pass(60_001)
      expect((await ask({ blocks: [block(key)] })).block).toBeUndefined()
      expect(await store.blockLeftMs(key)).toBe(0)
    })

    test("E-14: a blocked client's times are not noted, but for a rule that another's shadow must not blind", async () => {
      const times = block(`${key}-times`)
      await store.block(key, "scraping", 60_000)
      expect((await ask({ blocks: [block(key)], times })).timesMs).toBeUndefined()
      expect(
        (await ask({ blocks: [block(key, false)], times: { ...times, isEnforced: false } })).timesMs,
      ).toBeUndefined()
      expect((await ask({ blocks: [block(key, false)], times })).timesMs).toHaveLength(1)
    })

    test("E-12: the last 20 times are kept, oldest first", async () => {
      const times = block(key)
      let last: readonly number[] = []
      for (let at = 0; at < 23; at++) last = (await ask({ times })).timesMs ?? []
      expect(last).toHaveLength(20)
      expect(last.toSorted((a, b) => a - b)).toEqual(last)
    })

    test("E-10: failures are counted by key, and the same credential once in a window", async () => {
      const note = (name: string, member: string) => ({ key: name, member, windowMs: 60_000, most: 10 })
      expect(await store.noteFailures([note(key, "a"), note(`${key}-user`, "x")])).toEqual([1, 1])
      expect(await store.noteFailures([note(key, "a"), note(`${key}-user`, "y")])).toEqual([1, 2])
      expect(await store.noteFailures([note(key, "b")])).toEqual([2])
      await opened.pass(60_001)
      expect(await store.noteFailures([note(key, "a")])).toEqual([1])
    })

    test("E-10: more failures than matter are not kept", async () => {
      const note = (member: string) => [{ key, member, windowMs: 60_000, most: 3 }]
      for (const member of ["a", "b", "c", "d"]) await store.noteFailures(note(member))
      expect(await store.noteFailures(note("e"))).toEqual([3])
    })

    test("E-42: an address that is used again is the last one", async () => {
      for (let at = 0; at < 20; at++) await store.remember(key, `203.0.113.${at}`)
      await store.remember(key, "203.0.113.0")
      await store.remember(key, "203.0.113.20")
      const kept = await Promise.all([0, 1, 20].map((at) => store.isRemembered(key, `203.0.113.${at}`)))
      expect(kept).toEqual([true, false, true])
    })

    test("E-42: the last twenty addresses of a user are remembered", async () => {
      for (let at = 0; at < 21; at++) await store.remember(key, `203.0.113.${at}`)
      expect(await store.isRemembered(key, "203.0.113.0")).toBe(false)
      expect(await store.isRemembered(key, "203.0.113.20")).toBe(true)
    })

    test("what is forgotten is gone, and what is looked at is not changed", async () => {
      await admitted(4)
      await store.block(`${key}-block`, "why", 60_000)
      await ask({ times: block(`${key}-times`) })
      await store.noteFailures([{ key: `${key}-failed`, member: "a", windowMs: 60_000, most: 9 }])
      const keys = [key, `${key}-failed`]
      const look = () =>
        store.look({
          windows: keys.map((name) => ({ key: name, windowMs: 60_000 })),
          blocks: [`${key}-block`],
          times: [`${key}-none`, `${key}-times`],
        })
      const found = await look()
      expect(found.counts).toEqual({ [key]: 4, [`${key}-failed`]: 1 })
      expect(found.blocks).toMatchObject([{ key: `${key}-block`, reason: "why" }])
      expect(found.timesMs).toEqual([[], [expect.any(Number)]])
      await store.forget([...keys, `${key}-block`, `${key}-times`])
      expect(await look()).toEqual({ counts: { [key]: 0, [`${key}-failed`]: 0 }, blocks: [], timesMs: [[], []] })
    })
  })
})

test("G1: in memory thousands of calls leave the window as they came, whether or not their room is given back at once", () => {
  const clock = settableClock()
  const store = new MemoryStore(clock)
  const rate = { key: "busy", requests: 5_000, windowMs: 60_000, isEnforced: true }
  const remaining = () => store.ask({ rate, blocks: [] }).rate?.remaining
  const left: (number | undefined)[] = []
  for (const calls of [500, 3_000, 1, 1]) {
    for (let n = 1; n < calls; n++) remaining()
    left.push(remaining())
    clock.advance(30_000)
  }
  expect(left).toEqual([4_500, 1_500, 1_999, 4_998])
  expect(store.look({ windows: [rate], blocks: [], times: [] }).counts).toEqual({ busy: 1 })
})
