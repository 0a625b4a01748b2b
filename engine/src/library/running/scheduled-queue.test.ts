// The scheduled processor of part B as a program has it: a schedule, a drain that runs once, and a chain of five steps in the queue.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { uploadDefinition } from "../../operations/definitions/upload-definition.ts"
import { releaseJobs } from "../../operations/flow/release-jobs.ts"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import { fireSchedules } from "../../operations/schedules/fire-schedules.ts"
import { getSchedule, listScheduleRuns } from "../../operations/schedules/read-schedules.ts"
import { runSchedule } from "../../operations/schedules/run-schedule.ts"
import { putSchedule } from "../../operations/schedules/schedules.ts"
import { stopClock } from "../../test-support/database-clock.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"
import { runTypeScript } from "../../test-support/typescript-process.ts"
import { type JobCall, job } from "../authoring/job.ts"
import { NonRetryableError } from "../authoring/retries/error-kind.ts"
import type { Mill } from "./mill.ts"

const STEPS = ["upload-image", "make-tiles", "predict", "post-process", "report"]
const MINUTE_MS = 60_000
const MINUTES = { retry: { retries: 3, base: "PT1M", factor: 2, cap: "PT1H" } }

interface Slide {
  readonly slide: number
}
/** What each test puts into the steps. */
let act: (step: string, call: JobCall<Slide>) => unknown
/** Step and slide, as they were executed. */
let executed: string[]
beforeEach(() => {
  act = () => {}
  executed = []
})

const handlers = STEPS.map((name) =>
  job(name, (call: JobCall<Slide>) => {
    executed.push(`${name} ${call.payload.slide}`)
    return act(name, call) as undefined
  }),
)
const chain = (slide: number) => STEPS.map((name) => `${name} ${slide}`)

/** A database with the five steps as a graph: a job for each, which the end of the one before it enqueues. */
async function open(): Promise<Mills> {
  const mills = await openMills()
  const steps = STEPS.map((name, at) => service(name, STEPS[at + 1] ?? "end", MINUTES))
  await uploadDefinition(mills.kernel, { document: workflow("tissue", [...steps, end()]), actor: "local" })
  return mills
}

const submit = async ({ kernel }: Mills, slide: number, more = {}): Promise<string> =>
  (await startInstance(kernel, { definitionId: "tissue", variables: { slide, ...more }, actor: "local" })).instance.id

const stepsOf = async ({ tables }: Mills, id: string) => {
  const rows = await tables.script(
    `select name, status, retry_count from millrace_views.workflow_step where workflow_id = '${id}' order by execution`,
  )
  return rows.map(({ name, status, retry_count }) => `${name} ${status}${retry_count ? ` (${retry_count})` : ""}`)
}
const allCompleted = STEPS.map((name) => `${name} completed`)

describe("driven by its schedule alone", () => {
  let mills: Mills
  beforeAll(async () => {
    mills = await open()
  })
  afterAll(() => mills.close())

  /** As a function of a cloud would answer. */
  const refresh = job("refresh", async () => ({
    statusCode: 200,
    ...(await mills.mill.drain(handlers, { deadline: 300_000 })),
  }))

  test("B-T1, B-04, B-01: a chain of five steps completes at the next tick, with no call by hand; and before it nothing runs", async () => {
    const { kernel, mill } = mills
    // No minute begins while the machine is at work.
    await stopClock(kernel)
    await putSchedule(
      kernel,
      { id: "refresh", cron: "* * * * *", jobType: "refresh" },
      { actor: "local", reach: EVERYTHING },
    )
    await mill.work([refresh])
    const id = await submit(mills, 1)
    expect(await stepsOf(mills, id)).toEqual(["upload-image queued"])
    const { nextAt = "" } = await getSchedule(kernel, "refresh")
    await mills.advanceClock(Date.parse(nextAt) - kernel.clock.nowMs())
    await eventually(async () => (await mill.runs.get(id)).status).toBe("COMPLETED")
    expect(executed).toEqual(chain(1))
    expect(await stepsOf(mills, id)).toEqual(allCompleted)
    const { items } = await listScheduleRuns(kernel, "refresh", { pageSize: 10 })
    expect(items.map(({ cause, outcome, dueAt }) => [cause, outcome, dueAt])).toContainEqual([
      "cron",
      "started",
      nextAt,
    ])
    expect(items.every(({ cause }) => cause === "cron")).toBe(true)
    const workId = items.find(({ dueAt }) => dueAt === nextAt)?.workId ?? ""
    await eventually(async () => (await mill.jobs.get(workId)).status).toBe("COMPLETED")
    expect((await mill.jobs.get(workId)).result).toEqual({ statusCode: 200, processed: 5, endedBy: "empty" })
  })
})

describe("driven by the test", () => {
  let mills: Mills
  let mill: Mill
  beforeAll(async () => {
    mills = await open()
    mill = mills.mill
    await holdLoops(mills.kernel)
  })
  afterAll(() => mills.close())

  async function pass(ms: number): Promise<void> {
    await mills.advanceClock(ms)
    while ((await releaseJobs(mills.kernel, noTerm)) > 0);
  }

  test("B-06, B-X1: a step is running and out of the queue before it is executed, then it is executed, and the next is queued", async () => {
    const id = await submit(mills, 1)
    const seen: unknown[] = []
    act = async (step) => {
      const items = await mills.tables.script(`select from millrace_views.queue_item where workflow_id = '${id}'`)
      seen.push([step, (await stepsOf(mills, id)).at(-1), items.length])
    }
    expect(await mill.drain(handlers)).toMatchObject({ processed: 5 })
    expect(seen).toEqual(STEPS.map((name) => [name, `${name} running`, 0]))
    expect(await stepsOf(mills, id)).toEqual(allCompleted)
  })

  test("B-05: what was queued first is executed first, and its next step stands behind those that wait", async () => {
    for (const slide of [1, 2, 3]) await submit(mills, slide)
    await mill.drain(handlers)
    expect(executed).toEqual(STEPS.flatMap((name) => [1, 2, 3].map((slide) => `${name} ${slide}`)))
  })

  test("B-T2, B-X6, B-11: two processors at once execute each step once, and neither leaves one to nobody", async () => {
    const { mill: second } = await mills.another()
    // Neither goes on before the other has a step, too.
    const both = gate()
    act = async () => {
      if (executed.length === 2) both.open()
      await both.passed
    }
    const slides = Array.from({ length: 40 }, (_, at) => at)
    const ids = await Promise.all(slides.map((slide) => submit(mills, slide)))
    const done = await Promise.all([mill, second].map((each) => each.drain(handlers, { concurrency: 1 })))
    expect(done.map(({ processed }) => processed > 0)).toEqual([true, true])
    expect((done[0]?.processed ?? 0) + (done[1]?.processed ?? 0)).toBe(200)
    expect(executed.toSorted()).toEqual(slides.flatMap(chain).toSorted())
    for (const id of ids) expect((await mill.runs.get(id)).status).toBe("COMPLETED")
  })

  test("B-11: while one processor runs a step another has nothing to do, and skips it", async () => {
    const [inside, goOn] = [gate(), gate()]
    act = async (step) => {
      if (step !== "predict") return
      inside.open()
      await goOn.passed
    }
    await submit(mills, 1)
    const draining = mill.drain(handlers)
    await inside.passed
    expect(await mill.drain(handlers)).toMatchObject({ processed: 0 })
    goOn.open()
    expect(await draining).toMatchObject({ processed: 5 })
    expect(executed).toEqual(chain(1))
    expect(await mill.drain(handlers)).toMatchObject({ processed: 0 })
  })

  test("B-X9: a processor holds as many steps as it runs at a time, however many are queued", async () => {
    let most = 0
    act = async () => {
      const [row] = await mills.tables.script(
        `select count(*) as n from millrace_views.workflow_step where status = 'running'`,
      )
      most = Math.max(most, row?.n as number)
    }
    await Promise.all(Array.from({ length: 60 }, (_, at) => submit(mills, at)))
    expect(await mill.drain(handlers, { concurrency: 3 })).toMatchObject({ processed: 300 })
    expect(most).toBe(3)
  })

  test("B-T4, B-07, B-X2, B-X3: a transient error is tried again after 1, 2 and 4 minutes, then it is a dead letter", async () => {
    act = (step) => {
      if (step === "predict") throw new Error("the GPU is busy")
    }
    const id = await submit(mills, 1)
    expect(await mill.drain(handlers)).toMatchObject({ processed: 3 })
    for (const [retries, minutes] of [
      [1, 1],
      [2, 2],
      [3, 4],
    ] as const) {
      expect(await mill.drain(handlers)).toMatchObject({ processed: 0 })
      expect((await stepsOf(mills, id)).at(-1)).toBe(`predict pending (${retries})`)
      await pass(minutes * MINUTE_MS - 1_000)
      expect(await mill.drain(handlers)).toMatchObject({ processed: 0 })
      await pass(1_000)
      expect(await mill.drain(handlers)).toMatchObject({ processed: 1 })
    }
    expect((await stepsOf(mills, id)).at(-1)).toBe("predict failed (3)")
    expect(await deadLetters(id)).toEqual([{ step_id: "predict", error: "the GPU is busy", retry_count: 3 }])
    expect(executed).toEqual(["upload-image 1", "make-tiles 1", ...Array(4).fill("predict 1")])
  })

  test("B-T3, B-13: a validation error is not tried again: it is a dead letter at once", async () => {
    act = (step) => {
      if (step === "make-tiles") throw new NonRetryableError("a scan of 0 × 0 pixels")
    }
    const id = await submit(mills, 1)
    expect(await mill.drain(handlers)).toMatchObject({ processed: 2 })
    await pass(10 * MINUTE_MS)
    expect(await mill.drain(handlers)).toMatchObject({ processed: 0 })
    expect(await stepsOf(mills, id)).toEqual(["upload-image completed", "make-tiles failed"])
    expect(await deadLetters(id)).toEqual([{ step_id: "make-tiles", error: "a scan of 0 × 0 pixels", retry_count: 0 }])
  })

  const deadLetters = (id: string) =>
    mills.tables.script(
      `select step_id, error, retry_count from millrace_views.dead_letter_queue_item where workflow_id = '${id}'`,
    )

  test("B-T7, B-20: what is aborted while it is queued is skipped, and the others are not", async () => {
    const [first, aborted, third] = [await submit(mills, 1), await submit(mills, 2), await submit(mills, 3)]
    await mill.runs.handle(aborted).cancel({ reason: "wrong patient" })
    expect(await mill.drain(handlers)).toMatchObject({ processed: 10 })
    expect(executed.filter((line) => line.endsWith(" 2"))).toEqual([])
    expect(await stepsOf(mills, aborted)).toEqual(["upload-image aborted"])
    for (const id of [first, third]) expect(await stepsOf(mills, id)).toEqual(allCompleted)
  })

  test("B-20: aborted while a step runs, its outcome is void and no other step begins", async () => {
    const id = await submit(mills, 1)
    act = async (step) => {
      if (step === "predict") await mill.runs.handle(id).cancel()
      return { [step]: true }
    }
    expect(await mill.drain(handlers)).toMatchObject({ processed: 3 })
    expect(await stepsOf(mills, id)).toEqual(["upload-image completed", "make-tiles completed", "predict aborted"])
    expect(await mill.runs.get(id)).toMatchObject({ status: "CANCELLED", variables: { "make-tiles": true } })
    expect((await mill.runs.get(id)).variables).not.toHaveProperty("predict")
  })

  test("B-T6, B-X5: a processor that is killed leaves its step running; it is recovered, and what was done before is not done again", async () => {
    const worker = new URL("../../test-support/killed-processor.ts", import.meta.url)
    const id = await submit(mills, 1, { dies: "3" })
    const behind = await submit(mills, 2)
    const ended = await runTypeScript(worker, [mills.dsn, ...STEPS]).ended
    expect(ended).toMatchObject({ signal: "SIGKILL", output: "" })
    expect(await stepsOf(mills, id)).toEqual(["upload-image completed", "make-tiles completed", "predict running"])
    expect(await mill.drain(handlers)).toMatchObject({ processed: 3 })
    expect(await stepsOf(mills, behind)).toEqual(allCompleted)
    await mills.endLeases()
    executed = []
    expect(await mill.drain(handlers)).toMatchObject({ processed: 3 })
    expect(executed).toEqual(["predict 1", "post-process 1", "report 1"])
    expect(await stepsOf(mills, id)).toEqual(allCompleted)
  })

  test("B-19, B-21: by hand it is the same processor, by the same way", async () => {
    const { kernel } = mills
    const refresh = job("refresh", () => mill.drain(handlers))
    await putSchedule(
      kernel,
      { id: "refresh", cron: "* * * * *", jobType: "refresh", overlap: "skip" },
      { actor: "local", reach: EVERYTHING },
    )
    const drainOf = async (workId: string | undefined) => {
      await mill.drain([refresh])
      return (await mill.jobs.get(workId ?? "")).result
    }
    await submit(mills, 1)
    const { outcome: run } = await runSchedule(kernel, { id: "refresh", actor: "ada", reach: EVERYTHING })
    expect(run).toMatchObject({ cause: "manual", outcome: "started" })
    expect(await drainOf(run.workId)).toMatchObject({ processed: 5 })
    await submit(mills, 2)
    const { nextAt = "" } = await getSchedule(kernel, "refresh")
    await mills.advanceClock(Date.parse(nextAt) - kernel.clock.nowMs() + 5)
    await fireSchedules(kernel, noTerm)
    const [tick] = (await listScheduleRuns(kernel, "refresh", { pageSize: 1 })).items
    expect(tick).toMatchObject({ cause: "cron", outcome: "started" })
    expect(await drainOf(tick?.workId)).toMatchObject({ processed: 5 })
  })
})
