// Draining: run what is ready, stop in time, and say how much it was; and stopping, however often and by whomever it is asked for.
import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, type Step, waitForSignal, workflow } from "../../index.ts"
import { wakeupsOf } from "../../operations/jobs/claim/wakeups.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"
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
  expect(await mill.drain([done, waits])).toEqual({ processed: 4, endedBy: "empty" })
  expect(await mill.drain([done, waits])).toEqual({ processed: 0, endedBy: "empty" })
  expect(await mill.drain([other])).toEqual({ processed: 1, endedBy: "empty" })
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
  expect(await mill.drain([first, next])).toEqual({ processed: 2, endedBy: "empty" })
})

test("concurrency: as many at a time as it says", async () => {
  let running = 0
  let most = 0
  const full = gate()
  const flow = workflow("wide", {
    steps: [
      async function count() {
        running += 1
        most = Math.max(most, running)
        if (running === 4) full.open()
        await full.passed
        // One more that came now would be counted.
        await new Promise((resolve) => setTimeout(resolve, 20))
        running -= 1
      },
    ],
  })
  for (let n = 0; n < 12; n++) await mill.start(flow, {})
  expect(await mill.drain([flow], { concurrency: 4 })).toEqual({ processed: 12, endedBy: "empty" })
  expect(most).toBe(4)
})

/** Runs that take as long as they are told to: each sets what is left when it is through. */
function timed(name: string, leftAfter: readonly number[]) {
  let left = 300_000
  let ran = 0
  const flow = workflow(name, {
    steps: [
      function work() {
        left = leftAfter[ran++] ?? left
      },
    ],
  })
  return { flow, deadline: () => left }
}

const readyRows = (name: string) =>
  mills.tables.script(`select status, epoch from millrace.jobs where step_id = '${name}'`)

test("B-18, B-X4, B-T5: it goes on while there is more than the reserve left, not until the reserve has passed, and stops with the reserve in hand", async () => {
  // 30 s after the start the inverted test would have stopped.
  const { flow, deadline } = timed("timely", [269_000, 30_001, 30_000])
  for (let n = 0; n < 5; n++) await mill.start(flow, {})
  expect(await mill.drain([flow], { deadline })).toEqual({ processed: 3, endedBy: "deadline" })
  // Not even claimed and given back.
  expect(await readyRows("timely")).toEqual(Array.from({ length: 2 }, () => ({ status: "ready", epoch: 0 })))
  expect(await mill.drain([flow], { deadline })).toEqual({ processed: 0, endedBy: "deadline" })
  expect(await mill.drain([flow], { deadline, reserve: 29_999 })).toEqual({ processed: 2, endedBy: "empty" })
})

test("B-T5: a deadline as a time or as milliseconds from now is measured with the default reserve of 30 s", async () => {
  const flow = workflow("measured", { steps: [function nothing() {}] })
  await mill.start(flow, {})
  for (const deadline of [new Date(Date.now() + 30_000), 30_000, -1, new Date(0)])
    expect(await mill.drain([flow], { deadline })).toEqual({ processed: 0, endedBy: "deadline" })
  expect(await readyRows("measured")).toEqual([{ status: "ready", epoch: 0 }])
  expect(await mill.drain([flow], { deadline: 365 * 86_400_000 })).toEqual({ processed: 1, endedBy: "empty" })
})

test("B-18, B-08: what runs when the time is up is finished and counted, whichever way it ends", async () => {
  let left = 300_000
  const { passed, open } = gate()
  const outcomes = workflow("outcomes", {
    retry: { retries: 0 },
    steps: [
      async function work({ input: { which } }: Step<{ which: string }>) {
        if (which === "fails") throw new Error("no")
        left = 0
        open()
        await new Promise(setImmediate)
      },
    ],
  })
  const [fails, finishes] = [
    await mill.start(outcomes, { which: "fails" }),
    await mill.start(outcomes, { which: "ends" }),
  ]
  await mill.start(outcomes, { which: "never begun" })
  expect(await mill.drain([outcomes], { deadline: () => left })).toEqual({ processed: 2, endedBy: "deadline" })
  await passed
  expect(await mill.runs.get(fails.id)).toMatchObject({ status: "FAILED" })
  expect(await mill.runs.get(finishes.id)).toMatchObject({ status: "COMPLETED" })
  expect(await readyRows("outcomes")).toEqual([{ status: "ready", epoch: 0 }])
})

test("B-08: a claim that fails is no empty queue: the caller is told", async () => {
  const flow = workflow("unreachable", { steps: [function nothing() {}] })
  await mill.start(flow, {})
  await mills.tables.script("alter table millrace.jobs rename to mislaid")
  try {
    await expect(mill.drain([flow])).rejects.toThrow()
  } finally {
    await mills.tables.script("alter table millrace.mislaid rename to jobs")
  }
  expect(await mill.drain([flow])).toEqual({ processed: 1, endedBy: "empty" })
})

test.each<[string, object]>([
  ["a deadline that is no time", { deadline: new Date("soon") }],
  ["a deadline that is no number", { deadline: Number.NaN }],
  ["a reserve that is no number", { reserve: "30s" }],
])("%s is refused", async (_, options) => {
  const flow = workflow("refused", { steps: [function nothing() {}] })
  await expect(mill.drain([flow], options)).rejects.toMatchObject({ code: "bad-request" })
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
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { finished: true } })
})

test("stop: a worker that waits for work stops at once, and takes nothing with it", async () => {
  const flow = workflow("idle", { steps: [function nothing() {}] })
  const worker = await mill.work([flow])
  await mill.runs.handle((await mill.start(flow, {})).id).ended()
  await eventually(() => wakeupsOf(mills.kernel).waitingFor()).toContain("idle")
  const stopped = worker.stop()
  // Its claim, which could wait for half a minute, waits no more.
  expect(wakeupsOf(mills.kernel).waitingFor()).not.toContain("idle")
  await stopped
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
  await (await own.start(flow, {})).ended()
  await own.drain([flow])
  const count = async () =>
    (await mills.tables.script("select count(*) as n from pg_stat_activity where datname = current_database()"))[0]?.n
  const before = (await count()) as number
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
  const timersBefore = timers()
  await worker.stop()
  await own.stop()
  // A session is gone a moment after its connection, and other processes of the test have timers that come and go.
  await eventually(count).toBeLessThan(before)
  await eventually(timers).toBeLessThan(timersBefore)
})
