// What becomes of an attempt that failed: tried again later, or for good; with the current list, an empty context, and words one can use.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bestEffort, RetryableError, type Step, step, workflow } from "../../index.ts"
import { createLogger } from "../../support/log.ts"
import { databaseNow } from "../../test-support/database-clock.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

/** How long the run was put off by its last report. */
async function delayOf(id: string): Promise<number> {
  const [row] = await mills.tables.script(
    `select detail->>'delayMs' as delay from millrace.trail where instance_id = '${id}' and kind = 'JOB_RETRIED' order by seq desc limit 1`,
  )
  return Number(row?.delay)
}

/** Ends every delay there is. */
async function passDelays(): Promise<void> {
  await mills.tables.script("update millrace.jobs set status = 'ready', visible_at = null where status = 'held'")
}

test("A-28, A-29, A-T9: each retry's time stays between the bounds of its formula, as the row has it", async () => {
  // Longer than a drain takes: what is put off is not due again before it ends.
  const options = { baseDelay: 60_000, maxDelay: 360_000, jitterFactor: 0.5 }
  const flow = workflow("backoff", {
    steps: [
      function blocked() {
        throw new RetryableError("later", options)
      },
    ],
  })
  const ids = await Promise.all(Array.from({ length: 12 }, async () => (await mill.start(flow, {})).id))
  for (const [retry, ideal] of [60_000, 120_000, 240_000, 360_000, 360_000].entries()) {
    const before = await databaseNow(mills.tables)
    await mill.drain([flow], { concurrency: 12 })
    const after = await databaseNow(mills.tables)
    const delays = await Promise.all(ids.map(delayOf))
    for (const [at, delay] of delays.entries()) {
      const failedAt = ((await mills.row(ids[at] as string)).invisible_until as number) - delay
      // A delay is told in whole milliseconds.
      expect(failedAt).toBeGreaterThanOrEqual(before - 1)
      expect(failedAt).toBeLessThanOrEqual(after + 1)
    }
    for (const delay of delays) {
      expect(delay).toBeLessThanOrEqual(ideal * 1.5)
      expect(delay).toBeGreaterThanOrEqual(ideal * 0.5)
    }
    expect(new Set(delays.map((delay) => Math.round(delay / 50))).size).toBeGreaterThan(2)
    expect(await mills.row(ids[0] as string)).toMatchObject({ status: "PENDING", retry_count: retry + 1 })
    await passDelays()
  }
})

test("A-29: the number of the retry is the run's own, whatever the list now says about retries", async () => {
  const listOf = (retries: number) =>
    workflow("recounted", {
      retry: { retries },
      steps: [
        function blocked() {
          throw new RetryableError("later", { baseDelay: 100_000, jitterFactor: 0 })
        },
      ],
    })
  const { id } = await mill.start(listOf(5), {})
  for (const [list, ideal] of [
    [listOf(5), 100_000],
    [listOf(50), 200_000],
    [listOf(2), 400_000],
  ] as const) {
    await mill.drain([list])
    expect(await delayOf(id)).toBe(ideal)
    await passDelays()
  }
})

test("A-24, A-32, A-T6: a retry runs the whole list, the one that the worker has now, with a context built from empty", async () => {
  const trace: string[] = []
  const note =
    (name: string, result: object) =>
    ({ context }: Step) => {
      trace.push(`${name} ${Object.keys(context).join()}`)
      return result
    }
  const before = workflow("changing", {
    steps: [
      step("one", note("one", { a: 1, old: true })),
      step("two", () => {
        throw new RetryableError("later", { baseDelay: "PT1H" })
      }),
    ],
  })
  const after = workflow("changing", {
    steps: [step("zero", note("zero", { z: 0 })), step("one", note("one", { a: 2 })), step("three", note("three", {}))],
  })
  const { id } = await mill.start(before, {})
  const other = (await mills.another()).mill
  await mill.drain([before])
  expect(await mills.row(id)).toMatchObject({ status: "PENDING", retry_count: 1 })
  trace.length = 0
  await passDelays()
  await other.drain([after])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { a: 2, z: 0 } })
  expect((await mill.runs.get(id)).variables).not.toHaveProperty("old")
  expect(trace).toEqual(["zero ", "one z", "three z,a"])
})

test("A-25, A-26: of many runs the best-effort steps that failed are found by their name, page by page, and by SQL", async () => {
  const flow = workflow("cards", {
    steps: [
      bestEffort(function attachCard({ input }: Step<{ n: number }>) {
        if (input.n % 2 === 0) throw new Error(`declined ${input.n}`)
      }),
    ],
  })
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push((await mill.start(flow, { n })).id)
  await mill.drain([flow])
  const found = { workflow: flow, step: "attachCard" }
  const page = await mill.runs.failures({ ...found, pageSize: 2 })
  expect(page.items).toMatchObject([
    { instanceId: ids[0], step: "attachCard", error: "declined 0" },
    { instanceId: ids[2], error: "declined 2" },
  ])
  const { items } = await mill.runs.failures({ ...found, cursor: page.nextCursor })
  expect(items).toMatchObject([{ error: "declined 4" }])
  const rows = await mills.tables.script(
    "select count(*) as n from millrace_views.best_effort_failure where step = 'attachCard'",
  )
  expect(rows).toEqual([{ n: 3 }])
})

describe("A-38: the cap of retries", () => {
  test.each([0, 1, 3])("%d retries, then FAILED with the last error", async (retries) => {
    let attempts = 0
    const flow = workflow(`capped-${retries}`, {
      retry: { retries },
      steps: [
        function blocked() {
          attempts += 1
          throw new RetryableError(`attempt ${attempts}`, { baseDelay: 0 })
        },
      ],
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(attempts).toBe(retries + 1)
    expect(await mills.row(id)).toMatchObject({ status: "FAILED", last_error: `blocked: attempt ${attempts}` })
  })

  test("unlimited is without end, also when the counter has come to its own", async () => {
    const flow = workflow("endless", {
      retry: { retries: "unlimited" },
      steps: [
        function blocked() {
          throw new RetryableError("later", { baseDelay: "PT1H" })
        },
      ],
    })
    const { id } = await mill.start(flow, {})
    await mills.tables.script(`update millrace.jobs set retries_left = 1 where instance_id = '${id}'`)
    for (let attempt = 1; attempt <= 3; attempt++) {
      await mill.drain([flow])
      expect(await mills.row(id)).toMatchObject({ status: "PENDING", retry_count: attempt })
      await passDelays()
    }
    await mill.runs.handle(id).cancel()
  })
})

test("A-39: a FAILED run that is retried runs all of its steps again, and has all of its retries again", async () => {
  let attempts = 0
  const flow = workflow("requeued", {
    retry: { retries: 1 },
    steps: [
      function blocked() {
        attempts += 1
        if (attempts < 4) throw new RetryableError("later", { baseDelay: 0 })
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED" })
  await mill.runs.handle(id).retry()
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(attempts).toBe(4)
  await expect(mill.runs.handle(id).retry()).rejects.toMatchObject({ code: "conflict" })
})

test("A-41: the log has the stack of a step that failed: its own function on top, the list runner below it", async () => {
  const lines: string[] = []
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } })
  const loud = new Mill({ ...mills.kernel, log }, "loud", async () => {})
  async function readCard() {
    await null
    throw new Error("no such card")
  }
  const flow = workflow("traced", {
    steps: [
      async function chargeCard() {
        await readCard()
      },
    ],
  })
  const { id } = await loud.start(flow, {})
  await loud.drain([flow])
  const line = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === "a run has failed")
  expect(line).toMatchObject({ level: "warn", instanceId: id, attempt: 1 })
  const stack = line.err.cause.stack as string
  const places = ["readCard", "chargeCard", "callStep", "runList"].map((name) => stack.indexOf(name))
  expect(places.every((place) => place > 0)).toBe(true)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})
