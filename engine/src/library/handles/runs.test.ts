// Runs by key, and lists of them: by workflow, status, time and the beginning of a key, page by page.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bestEffort, type Step, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "../running/mill.ts"

let mills: Mills
let mill: Mill
const order = workflow("order", {
  steps: [
    function check({ input }: Step<{ n: number }>) {
      if (input.n % 3 === 0) throw new Error("no")
    },
  ],
})
const other = workflow("other-order", { steps: [function nothing() {}] })
const ids: string[] = []

beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  for (let n = 0; n < 7; n++) ids.push((await mill.start(order, { n }, { key: `2026/order-${n}` })).id)
  await mill.start(other, {}, { key: "2026/order-1" })
  await mill.start(order, { n: 100 }, { key: "2025/order-1" })
  await mill.drain([order, other])
  await mill.start(order, { n: 101 }, { key: "2026/order-9", businessKey: undefined })
})
afterAll(() => mills.close())

async function keysOf(filter: Parameters<Mill["runs"]["list"]>[0]): Promise<unknown[]> {
  const keys: unknown[] = []
  for await (const { key } of await mill.runs.list({ ...filter, workflow: order })) keys.push(key)
  return keys
}

describe("find", () => {
  test("a key belongs to its workflow: the run is found by both, and nothing where there is none", async () => {
    expect(await mill.runs.find({ workflow: order, key: "2026/order-1" })).toMatchObject({
      id: ids[1],
      key: "2026/order-1",
      definitionId: "order",
      status: "COMPLETED",
    })
    const found = await mill.runs.find({ workflow: "other-order", key: "2026/order-1" })
    expect(found).toMatchObject({ definitionId: "other-order" })
    expect(await mill.runs.find({ workflow: other, key: "2026/order-2" })).toBeUndefined()
    await expect(mill.runs.find({ workflow: order, key: "" })).rejects.toMatchObject({ code: "bad-request" })
  })
})

describe("list", () => {
  test("C-22: newest first; by workflow and by status", async () => {
    const { items } = await mill.runs.list({ workflow: order, status: "FAILED" })
    expect(items.map(({ id }) => id)).toEqual([ids[6], ids[3], ids[0]])
    expect((await mill.runs.list({ workflow: "order", status: "ACTIVE" })).items).toHaveLength(1)
    expect((await mill.runs.list()).items).toHaveLength(10)
  })

  test("a page names the cursor of the next, and the iterator goes through all of them", async () => {
    const first = await mill.runs.list({ workflow: order, pageSize: 4 })
    expect(first.items).toHaveLength(4)
    const second = await mill.runs.list({ workflow: order, pageSize: 4, cursor: first.nextCursor })
    const seen: string[] = []
    for await (const { id } of first) seen.push(id)
    expect(seen).toHaveLength(9)
    expect(new Set(seen).size).toBe(9)
    expect(seen.slice(4, 8)).toEqual(second.items.map(({ id }) => id))
    const last = await mill.runs.list({ workflow: order, pageSize: 4, cursor: second.nextCursor })
    expect(last.nextCursor).toBeUndefined()
  })

  test("by the time of the start, as a date or as a text", async () => {
    const { startedAt } = await mill.runs.get(ids[3] as string)
    const since = (await mill.runs.list({ workflow: order, since: startedAt })).items.map(({ id }) => id)
    expect(since).toContain(ids[3])
    expect(since).toContain(ids[6])
    expect((await mill.runs.list({ before: new Date(0) })).items).toEqual([])
    expect((await mill.runs.list({ since: new Date(Date.now() + 3_600_000) })).items).toEqual([])
  })

  test("by the beginning of the key: of this workflow alone, in the order of the keys, over all pages", async () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 9].map((n) => `2026/order-${n}`)
    expect(await keysOf({ keyPrefix: "2026/" })).toEqual(all)
    expect(await keysOf({ keyPrefix: "2026/", pageSize: 3 })).toEqual(all)
    expect(await keysOf({ keyPrefix: "2026/order-1" })).toEqual(["2026/order-1"])
    expect(await keysOf({ keyPrefix: "2027/" })).toEqual([])
    expect(await keysOf({ keyPrefix: "20", status: "FAILED", pageSize: 1 })).toEqual([
      "2026/order-0",
      "2026/order-3",
      "2026/order-6",
    ])
  })

  test("what cannot be asked is refused with what to do", async () => {
    const refused = [
      [{ keyPrefix: "2026/" }, "keyPrefix needs workflow"],
      [{ status: "DONE" }, "status must be one of ACTIVE"],
      [{ since: "yesterday" }, "since must be a Date"],
      [{ pageSize: 0 }, "pageSize"],
      [{ version: 0.5 }, "version"],
      [{ workflow: order, keyPrefix: "2026/", cursor: "bm93aGVyZQ" }, "cursor"],
      [{ workflow: {} }, "no workflow"],
    ] as const
    for (const [filter, message] of refused)
      await expect(mill.runs.list(filter as object)).rejects.toMatchObject({
        code: "bad-request",
        message: expect.stringContaining(message),
      })
  })
})

describe("failures", () => {
  const failing = bestEffort(function attach({ input }: Step<{ n: number }>) {
    throw new Error(`declined ${input.n}`)
  })
  const [first, second] = ["cards-a", "cards-b"].map((name) => workflow(name, { steps: [failing] }))

  test("A-26: those of one workflow, though another has a step of the same name", async () => {
    if (!first || !second) throw new Error("there are two")
    for (let n = 0; n < 3; n++) for (const flow of [first, second]) await mill.start(flow, { n })
    await mill.drain([first, second])
    const errors: string[] = []
    const own = await mill.runs.failures({ workflow: first, step: failing, pageSize: 2 })
    for await (const { error, instanceId } of own) {
      errors.push(error)
      expect((await mill.runs.get(instanceId)).definitionId).toBe("cards-a")
    }
    expect(errors).toEqual(["declined 0", "declined 1", "declined 2"])
    expect((await mill.runs.failures({ workflow: order, step: "attach" })).items).toEqual([])
  })
})
