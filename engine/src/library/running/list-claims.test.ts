// Who runs what, and when: many workers in several processes, each run once, the oldest first, and never more at a time than asked for.

import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, type Step, workflow } from "../../index.ts"
import { wakeupsOf } from "../../operations/jobs/claim/wakeups.ts"
import { seriesOf } from "../../operations/observability/counter-series.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"
import { askedWhileQuiet } from "../../test-support/quiet.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let others: readonly Mill[]
beforeAll(async () => {
  mills = await openMills()
  others = [(await mills.another()).mill, (await mills.another()).mill]
})
afterAll(() => mills.close())

const turn = () => new Promise((resolve) => setImmediate(resolve))

test("A-12, A-13, A-T2: nine workers of three processes take 150 runs, and each is executed once", async () => {
  const executed = new Map<number, number>()
  let first = -1
  const flow = workflow("once", {
    steps: [
      async function count({ input }: Step<{ n: number }>) {
        if (first < 0) first = input.n
        executed.set(input.n, (executed.get(input.n) ?? 0) + 1)
        await turn()
      },
    ],
  })
  const all = [mills.mill, ...others]
  const ids = await Promise.all(Array.from({ length: 150 }, async (_, n) => (await mills.mill.start(flow, { n })).id))
  const workers = await Promise.all(
    all.flatMap((mill) => [1, 2, 3].map((concurrency) => mill.work([flow], { concurrency }))),
  )
  for (const id of ids) await mills.mill.runs.handle(id).ended()
  expect(executed.size).toBe(150)
  expect([...executed.values()].every((times) => times === 1)).toBe(true)
  await Promise.all(workers.map((worker) => worker.stop()))
})

test("A-13, A-T2: one row, two processes that wait for it: one execution, every time", async () => {
  let executions = 0
  const flow = workflow("contested", {
    steps: [
      function count() {
        executions += 1
      },
    ],
  })
  const workers = await Promise.all(others.map((mill) => mill.work([flow], { concurrency: 4 })))
  for (let round = 1; round <= 20; round++) {
    const { id } = await mills.mill.start(flow, {})
    await eventually(async () => (await mills.mill.runs.get(id)).status).toBe("COMPLETED")
    expect(executions).toBe(round)
  }
  await Promise.all(workers.map((worker) => worker.stop()))
})

test("A-12: the oldest first", async () => {
  const order: number[] = []
  const flow = workflow("ordered", {
    steps: [
      function note({ input }: Step<{ n: number }>) {
        order.push(input.n)
      },
    ],
  })
  for (let n = 0; n < 20; n++) await mills.mill.intake(flow, { n }, { key: `ordered-${n}` })
  expect(await mills.mill.drain([flow])).toMatchObject({ processed: 20 })
  expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n))
})

test("A-14: by default one run at a time, and its steps one after the other, however long each takes", async () => {
  let running = 0
  let most = 0
  const trace: string[] = []
  const slow = (name: string) =>
    Object.defineProperty(
      async ({ input }: Step<{ n: number }>) => {
        running += 1
        most = Math.max(most, running)
        trace.push(`${input.n}${name}`)
        await turn()
        await turn()
        running -= 1
      },
      "name",
      { value: name },
    )
  const flow = workflow("single", { steps: [slow("a"), slow("b"), slow("c")] })
  for (let n = 0; n < 5; n++) await mills.mill.start(flow, { n })
  await mills.mill.drain([flow])
  expect(most).toBe(1)
  expect(trace).toEqual([0, 1, 2, 3, 4].flatMap((n) => [`${n}a`, `${n}b`, `${n}c`]))
})

test("A-15, A-16: during a spike never more runs are under way than the workers have places", async () => {
  let running = 0
  let most = 0
  const flow = workflow("spike", {
    steps: [
      async function call() {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 2))
        running -= 1
      },
    ],
  })
  const workers = await Promise.all([mills.mill.work([flow], { concurrency: 3 }), others[0]?.work([flow])])
  const ids = await Promise.all(Array.from({ length: 100 }, async () => (await mills.mill.start(flow, {})).id))
  for (const id of ids) await mills.mill.runs.handle(id).ended()
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
  await Promise.all(workers.map((worker) => worker?.stop()))
})

test("A-11: a worker that finds nothing waits: it asks nothing, and begins when work comes", async () => {
  const flow = workflow("quiet", { steps: [function nothing() {}] })
  const worker = await mills.mill.work([flow])
  await mills.mill.runs.handle((await mills.mill.start(flow, {})).id).ended()
  await seriesOf(mills.kernel).flush(mills.kernel, true)
  expect(await askedWhileQuiet(mills.kernel)).toEqual([])
  await eventually(() => wakeupsOf(mills.kernel).waitingFor()).toContain("quiet")
  const { id } = await mills.mill.start(flow, {})
  // Its claim could wait for half a minute; the start has ended that wait, or filled it.
  expect(wakeupsOf(mills.kernel).waitingFor()).not.toContain("quiet")
  await mills.mill.runs.handle(id).ended()
  await worker.stop()
})

test("A-X5: a run whose delay is over comes behind those that are ready already, and starves nobody", async () => {
  const order: string[] = []
  const blocked = gate()
  const flow = workflow("fair", {
    steps: [
      function note({ input, attempt }: Step<{ name: string }>) {
        order.push(input.name)
        if (input.name === "old" && attempt === 1) {
          blocked.open()
          throw new RetryableError("later", { baseDelay: "PT1H", wakeOn: "fair" })
        }
      },
    ],
  })
  await mills.mill.start(flow, { name: "old" })
  await mills.mill.drain([flow])
  await blocked.passed
  await mills.mill.start(flow, { name: "new" })
  await mills.mill.wake("fair")
  await mills.mill.start(flow, { name: "newest" })
  await mills.mill.drain([flow])
  expect(order).toEqual(["old", "new", "old", "newest"])
})
