// Batches without timers: alone when idle, together when busy, and one bad item never fails its neighbours.
import { expect, test } from "vitest"
import { Batcher, type BatcherOptions } from "./batcher.ts"

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
