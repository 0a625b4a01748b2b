// The feed without a database: when it reads, what it tells, and to whom.
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { ManualClock } from "../../test-support/manual-clock.ts"
import { OverviewFeed, type Watcher } from "./overview-feed.ts"
import type { Overview } from "./read-overview.ts"

let feed: OverviewFeed
let clock: ManualClock
let depth: number
let versions: Record<string, number>
let reads: readonly string[][]
let failing: boolean
const failures: unknown[] = []

beforeEach(() => {
  clock = new ManualClock()
  ;[depth, versions, reads, failing] = [0, {}, [], false]
  const readers = {
    async overview() {
      if (failing) throw new Error("away")
      reads = [...reads, []]
      return { at: new Date(clock.nowMs()).toISOString(), total: { depth } } as unknown as Overview
    },
    async instances(ids: readonly string[]) {
      reads = [...reads.slice(0, -1), [...ids]]
      return ids.flatMap((id) => (versions[id] ? [{ id, version: versions[id], status: "ACTIVE" }] : []))
    },
    failed: (error: unknown) => void failures.push(error),
  }
  feed = new OverviewFeed(readers, clock)
})
afterEach(() => feed.end())

interface Listener extends Watcher {
  readonly heard: string[]
  leave(): void
  ended: boolean
}

function listen(...instanceIds: string[]): Listener {
  const heard: string[] = []
  const listener = {
    instanceIds,
    heard,
    ended: false,
    tell(event: string, data: string) {
      const { total, id, version } = JSON.parse(data)
      heard.push(event === "overview" ? `depth ${total.depth}` : `${id} ${version}`)
    },
    end() {
      listener.ended = true
    },
    leave: () => {},
  }
  listener.leave = feed.join(listener)
  return listener
}

const pass = (ms: number) => clock.pass(ms)

describe("one reading for all", () => {
  test("there is none without a watcher, and none after the last has left", async () => {
    await pass(5_000)
    expect(reads).toHaveLength(0)
    const watcher = listen()
    await pass(2_500)
    expect(reads).toHaveLength(3)
    watcher.leave()
    await pass(60_000)
    expect(reads).toHaveLength(3)
  })

  test("200 watchers cost as much as one, and there is no 201st", async () => {
    const watchers = Array.from({ length: 200 }, (_, n) => listen(`i${n}`))
    await pass(0)
    expect(reads).toEqual([watchers.map((_, n) => `i${n}`)])
    expect(watchers.every(({ heard }) => heard.join() === "depth 0")).toBe(true)
    expect(() => listen()).toThrow(expect.objectContaining({ code: "unavailable" }))
    watchers[0]?.leave()
    listen()
  })

  test("whoever comes and goes again and again makes no reading more", async () => {
    const first = listen()
    await pass(0)
    first.leave()
    for (let n = 0; n < 9; n++) {
      await pass(100)
      const again = listen()
      expect(again.heard).toEqual(["depth 0"])
      again.leave()
    }
    expect(reads).toHaveLength(1)
  })

  test("the next reading comes a second after the last, whoever has asked for that one", async () => {
    const first = listen()
    await pass(0)
    first.leave()
    await pass(600)
    listen()
    await pass(399)
    expect(reads).toHaveLength(1)
    await pass(1)
    expect(reads).toHaveLength(2)
  })

  test("whoever leaves during a reading is not waited for", async () => {
    const watcher = listen()
    clock.advance(0)
    watcher.leave()
    await pass(10_000)
    expect(reads).toHaveLength(1)
    expect(watcher.heard).toEqual([])
  })
})

describe("what is told", () => {
  test("the overview at once, then only when it has changed, at most once a second", async () => {
    const watcher = listen()
    await pass(0)
    expect(watcher.heard).toEqual(["depth 0"])
    await pass(5_000)
    expect(watcher.heard).toEqual(["depth 0"])
    depth = 1
    await pass(500)
    depth = 2
    await pass(500)
    depth = 3
    await pass(2_000)
    expect(watcher.heard).toEqual(["depth 0", "depth 2", "depth 3"])
  })

  test("the overview every 15 seconds when nothing changes", async () => {
    const watcher = listen()
    await pass(14_999)
    expect(watcher.heard).toHaveLength(1)
    await pass(1)
    expect(watcher.heard).toHaveLength(2)
    await pass(15_000)
    expect(watcher.heard).toHaveLength(3)
  })

  test("whoever joins later hears at once how things stand", async () => {
    listen()
    depth = 4
    await pass(300)
    const late = listen()
    expect(late.heard).toEqual(["depth 4"])
    await pass(3_000)
    expect(late.heard).toEqual(["depth 4"])
  })

  test("an instance, to whom it concerns, at once and when its version has changed", async () => {
    versions = { a: 1, b: 1 }
    const [both, one] = [listen("a", "b", "nobody"), listen("b")]
    await pass(0)
    expect([both.heard, one.heard]).toEqual([
      ["depth 0", "a 1", "b 1"],
      ["depth 0", "b 1"],
    ])
    versions = { a: 2, b: 1 }
    await pass(3_000)
    expect([both.heard.slice(3), one.heard.slice(2)]).toEqual([["a 2"], []])
    expect(reads.at(-1)).toEqual(["a", "b", "nobody"])
  })

  test("an instance that somebody else watches already, at once", async () => {
    versions = { a: 1 }
    listen("a")
    await pass(300)
    expect(listen("a").heard).toEqual(["depth 0", "a 1"])
  })

  test("while the database is away whoever watches is sent off after three readings, and told how things stand when it is back", async () => {
    const watcher = listen()
    await pass(0)
    failing = true
    await pass(2_000)
    expect(watcher.ended).toBe(false)
    await pass(1_000)
    expect([watcher.heard, watcher.ended, failures.length]).toEqual([["depth 0"], true, 3])
    const patient = listen()
    await pass(1_000)
    failing = false
    await pass(1_000)
    expect([patient.heard, patient.ended]).toEqual([["depth 0"], false])
  })
})

test("when it ends everybody is told, once, and nobody hears of anything any more", async () => {
  const watchers = [listen(), listen()]
  await pass(0)
  feed.end()
  expect(watchers.map(({ ended }) => ended)).toEqual([true, true])
  depth = 9
  await pass(10_000)
  expect(reads).toHaveLength(1)
  expect(watchers.map(({ heard }) => heard)).toEqual([["depth 0"], ["depth 0"]])
})
