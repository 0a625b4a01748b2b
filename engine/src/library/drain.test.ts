// Draining: run what is ready, stop in time, and say how much it was; and stopping, however often and by whomever it is asked for.
import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, type Step, waitForSignal, workflow } from "../index.ts"
import { gate, type Mills, openMills } from "../testing/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

test("it runs what is ready, of all the lists it is given, and no more", async () => {
  const done = workflow("done", { steps: [function nothing() {}] })
  const waits = workflow("waits", { recover: "resume", steps: [waitForSignal("go")] })
  const other = workflow("other", { steps: [function nothing() {}] })
  for (const flow of [done, done, done, other]) await mill.start(flow, {})
  await mill.start(waits, {})
  expect(await mill.drain([done, waits])).toEqual({ statusCode: 200, processed: 4 })
  expect(await mill.drain([done, waits])).toEqual({ statusCode: 200, processed: 0 })
  expect(await mill.drain([other])).toEqual({ statusCode: 200, processed: 1 })
})

test("what a step starts while it drains is drained too; what is to be tried later is not", async () => {
  const next = workflow("next", { steps: [function nothing() {}] })
  const first = workflow("first", {
    steps: [
      async function begin({ attempt }: Step) {
        await mill.start(next, {})
        if (attempt === 1) throw new RetryableError("later", { baseDelay: "PT1H" })
      },
    ],
  })
  await mill.start(first, {})
  expect(await mill.drain([first, next])).toEqual({ statusCode: 200, processed: 2 })
})

test("concurrency: as many at a time as it says", async () => {
  let running = 0
  let most = 0
  const flow = workflow("wide", {
    steps: [
      async function count() {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running -= 1
      },
    ],
  })
  for (let n = 0; n < 12; n++) await mill.start(flow, {})
  expect(await mill.drain([flow], { concurrency: 4 })).toEqual({ statusCode: 200, processed: 12 })
  expect(most).toBe(4)
})

test("deadline and reserve: nothing new is begun from then on, what runs is finished, and the rest is left ready", async () => {
  const flow = workflow("timely", {
    steps: [
      async function slow() {
        await new Promise((resolve) => setTimeout(resolve, 60))
      },
    ],
  })
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push((await mill.start(flow, {})).id)
  const { processed } = await mill.drain([flow], { deadline: 1_100, reserve: 1_000 })
  expect(processed).toBeGreaterThan(0)
  expect(processed).toBeLessThan(6)
  const left = await mills.tables.script("select status, epoch from millrace.jobs where step_id = 'timely'")
  // Not even claimed and given back.
  expect(left).toEqual(Array.from({ length: 10 - processed }, () => ({ status: "ready", epoch: 0 })))
  expect(await mill.drain([flow], { deadline: new Date(Date.now() + 29_000) })).toEqual({
    statusCode: 200,
    processed: 0,
  })
  expect(await mill.drain([flow], { deadline: 365 * 86_400_000 })).toEqual({
    statusCode: 200,
    processed: 10 - processed,
  })
})

test("stop: asked for by the worker and by the mill at once, both wait for the step that runs, and its outcome is told", async () => {
  const { mill: own } = await mills.another()
  const inside = gate()
  const goOn = gate()
  const flow = workflow("stopping", {
    steps: [
      async function slow() {
        inside.open()
        await goOn.passed
        return { finished: true }
      },
    ],
  })
  const { id } = await own.start(flow, {})
  const worker = await own.work([flow])
  await inside.passed
  let stopped = 0
  const stops = [worker.stop(), own.stop(), worker.stop(), own.stop()].map((stop) => stop.then(() => (stopped += 1)))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(stopped).toBe(0)
  goOn.open()
  await Promise.all(stops)
  expect(await mill.get(id)).toMatchObject({ status: "COMPLETED", variables: { finished: true } })
})

test("stop: a worker that waits for work stops at once, and takes nothing with it", async () => {
  const flow = workflow("idle", { steps: [function nothing() {}] })
  const worker = await mill.work([flow])
  await mill.wait((await mill.start(flow, {})).id)
  const startedAt = performance.now()
  await worker.stop()
  expect(performance.now() - startedAt).toBeLessThan(500)
  const { id } = await mill.start(flow, {})
  expect(await mills.tables.script(`select status, epoch from millrace.jobs where instance_id = '${id}'`)).toEqual([
    { status: "ready", epoch: 0 },
  ])
  await mill.drain([flow])
})

test("a process that has stopped its mill has nothing left that keeps it alive: no connection, no timer", async () => {
  const { mill: own } = await mills.another()
  const flow = workflow("alive", {
    recover: "resume",
    steps: [
      async function write({ tx }: { tx: { query(text: string): Promise<unknown> } }) {
        await tx.query("select 1")
      },
    ],
  })
  const worker = await own.work([flow], { concurrency: 3 })
  const { id } = await own.start(flow, {})
  await own.wait(id)
  await own.drain([flow])
  const count = async () =>
    (await mills.tables.script("select count(*) as n from pg_stat_activity where datname = current_database()"))[0]?.n
  const before = (await count()) as number
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
  const timersBefore = timers()
  await worker.stop()
  await own.stop()
  expect(await count()).toBeLessThan(before)
  expect(timers()).toBeLessThan(timersBefore)
})
