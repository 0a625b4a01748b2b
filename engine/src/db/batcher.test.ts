// Batches without timers: alone when idle, together when busy, and one bad item never fails its neighbours.
import { expect, test } from "vitest"
import { EngineError } from "../support/errors.ts"
import { ALONE, Batcher, type BatcherOptions, type Patience } from "./batcher.ts"
import { fromDatabase, isAway } from "./errors.ts"
import { AfterCommitError } from "./transaction.ts"

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A batcher of numbers that notes its batches; each stays under way until `finish` is called. */
function noting(options: Partial<BatcherOptions<number, number>> = {}) {
  const batches: number[][] = []
  const open: (() => void)[] = []
  const batcher = new Batcher<number, number>({
    run: async (items) => {
      batches.push([...items])
      await new Promise<void>((resolve) => open.push(resolve))
      return items.map((value) => ({ value }))
    },
    maxItems: 100,
    flights: 1,
    ...options,
  })
  return { batcher, batches, finish: () => open.shift()?.() }
}

test("an item that comes alone leaves at once, without waiting for a turn of the event loop", async () => {
  const { batcher, batches, finish } = noting()
  const answer = batcher.submit(1)
  await Promise.resolve()
  expect(batches).toEqual([[1]])
  finish()
  expect(await answer).toBe(1)
})

test("what comes while a batch is under way leaves together", async () => {
  const { batcher, batches, finish } = noting()
  const answers = [batcher.submit(1)]
  await turn()
  for (const item of [2, 3, 4]) answers.push(batcher.submit(item))
  await turn()
  expect(batches).toEqual([[1]])
  finish()
  await expect.poll(() => batches).toEqual([[1], [2, 3, 4]])
  finish()
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
})

test("busy: callers who come back one turn after the other still share a batch", async () => {
  const { batcher, batches, finish } = noting()
  const answers = [1, 2, 3].map((item) => batcher.submit(item))
  await turn()
  finish()
  await Promise.all(answers)
  for (const item of [4, 5, 6]) {
    answers.push(batcher.submit(item))
    await turn()
  }
  await expect
    .poll(() => batches)
    .toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
  finish()
  expect(await Promise.all(answers)).toHaveLength(6)
})

test("items without end are not waited for: a batch leaves after a few turns", async () => {
  const { batcher, batches, finish } = noting()
  const first = [batcher.submit(-1), batcher.submit(-2)]
  await turn()
  finish()
  await Promise.all(first)
  for (let item = 0; batches.length < 2; item++) {
    void batcher.submit(item)
    await turn()
    expect(item).toBeLessThan(20)
  }
  expect(batches[1]?.length).toBeGreaterThan(1)
})

test("a batch that fails is tried one by one", async () => {
  const batcher = new Batcher<number, number>({
    run: async (items) => {
      if (items.includes(13)) throw new Error("unlucky")
      return items.map((value) => ({ value }))
    },
    maxItems: 100,
    flights: 1,
  })
  const settled = await Promise.allSettled([1, 13, 2].map((item) => batcher.submit(item)))
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
})

const lockTimeout = () => Object.assign(new Error("lock timeout"), { code: "55P03" })

/** Doubles numbers; negative ones are held by another transaction until they are run alone. Counts what it wrote. */
function contended(options: Partial<BatcherOptions<number, number>> = {}) {
  const runs: { items: readonly number[]; patience: Patience }[] = []
  const written: number[] = []
  const batcher = new Batcher<number, number>({
    run: async (items, patience) => {
      runs.push({ items, patience })
      if (!patience.isAlone && items.some((item) => item < 0)) throw lockTimeout()
      written.push(...items)
      return items.map((value) => ({ value: value * 2 }))
    },
    maxItems: 100,
    flights: 1,
    ...options,
  })
  return { batcher, runs, written }
}

test("a full batcher rejects, and never throws into its caller", async () => {
  const { batcher } = noting({ capacity: 0 })
  let answer: Promise<number> | undefined
  expect(() => {
    answer = batcher.submit(1)
  }).not.toThrow()
  await expect(answer).rejects.toThrow(EngineError)
})

test("contention: those that can contend follow alone and wait longer, the others go again together", async () => {
  const { batcher, runs, written } = contended({ contends: (item) => item < 0 })
  expect(await Promise.all([1, -2, 3].map((item) => batcher.submit(item)))).toEqual([2, -4, 6])
  expect(runs.map(({ items, patience }) => [items, patience.isAlone])).toEqual([
    [[1, -2, 3], false],
    [[1, 3], false],
    [[-2], true],
  ])
  expect(runs[2]?.patience.lockWaitMs).toBeGreaterThan(runs[0]?.patience.lockWaitMs ?? 0)
  expect(written.sort()).toEqual([-2, 1, 3])
})

test("contention of a batch in which all can contend: each goes alone, none is written twice", async () => {
  const { batcher, written } = contended()
  expect(await Promise.all([1, -2, 3].map((item) => batcher.submit(item)))).toEqual([2, -4, 6])
  expect(written.sort()).toEqual([-2, 1, 3])
})

test("an item that leaves its batch after the commit is not refused for want of room, and its neighbours are written once", async () => {
  const written: number[] = []
  const batcher = new Batcher<number, number>({
    run: async (items, { isAlone }) => {
      const mine = items.filter((item) => isAlone || item > 0)
      written.push(...mine)
      return items.map((value) => (mine.includes(value) ? { value } : ALONE))
    },
    maxItems: 100,
    flights: 1,
    capacity: 2,
  })
  expect(await Promise.all([batcher.submit(1), batcher.submit(-2)])).toEqual([1, -2])
  expect(written).toEqual([1, -2])
})

test("what fails after the commit is told, and not run again", async () => {
  let runs = 0
  const batcher = new Batcher<number, number>({
    run: async () => {
      runs += 1
      throw new AfterCommitError("a listener failed")
    },
    maxItems: 100,
    flights: 1,
  })
  const settled = await Promise.allSettled([1, 2].map((item) => batcher.submit(item)))
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(runs).toBe(1)
})

/** As the driver says it. */
const away = () => fromDatabase(Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" }))

test("a batch whose connection has broken is not run again item by item: each would wait for the same database", async () => {
  let runs = 0
  const batcher = new Batcher<number, number>({
    run: async () => {
      runs += 1
      throw away()
    },
    maxItems: 100,
    flights: 1,
  })
  expect(isAway(away())).toBe(true)
  const settled = await Promise.allSettled([1, 2].map((item) => batcher.submit(item)))
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(runs).toBe(1)
})

test("loners never share a batch, and no more of them are under way than they may", async () => {
  let most = 0
  let under = 0
  const sizes: number[] = []
  const batcher = new Batcher<number, number>({
    run: async (items) => {
      most = Math.max(most, ++under)
      sizes.push(items.length)
      await turn()
      under -= 1
      return items.map((value) => ({ value }))
    },
    maxItems: 100,
    flights: 1,
    isLoner: () => true,
    loneFlights: 3,
  })
  await Promise.all(Array.from({ length: 10 }, (_, n) => batcher.submit(n)))
  expect([most, new Set(sizes)]).toEqual([3, new Set([1])])
})

test("items of one key are never under way twice, whether they go together or alone", async () => {
  const under = new Set<number>()
  const batcher = new Batcher<number, number>({
    run: async (items, { isAlone }) => {
      for (const item of new Set(items)) expect(under.has(item)).toBe(false)
      if (!isAlone) return items.map(() => ALONE)
      for (const item of items) under.add(item)
      await turn()
      for (const item of items) under.delete(item)
      return items.map((value) => ({ value }))
    },
    maxItems: 100,
    flights: 2,
    keyOf: String,
  })
  const items = [1, 1, 2, 1, 2, 3]
  const answers = items.map((item) => batcher.submit(item))
  await turn()
  answers.push(batcher.submit(1))
  expect(await Promise.all(answers)).toEqual([...items, 1])
})

test("items that are submitted as a list are told one by one: what one of them meets is no concern of the others", async () => {
  const run = async (items: readonly number[]) => {
    if (items.includes(2)) throw new Error("two")
    return items.map((value) => ({ value: value * 10 }))
  }
  const batcher = new Batcher<number, number>({ run, maxItems: 100, flights: 1, capacity: 3 })
  const told: string[] = []
  batcher.submitEach([1, 2, 3, 4], (at, outcome) =>
    told.push(`${at} ${"value" in outcome ? outcome.value : (outcome.error as Error).message}`),
  )
  expect(told).toEqual(["3 too many requests are waiting for the database"])
  await expect.poll(() => told.slice(1)).toEqual(["0 10", "1 two", "2 30"])
})
