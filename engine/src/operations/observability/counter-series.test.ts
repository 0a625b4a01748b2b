// The counter series on a real database: what several processes count adds up, and an engine that does nothing writes nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import type { Row } from "../../db/train.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { addJobs, endJobs, queueOf } from "../../test-support/live-jobs.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { cancelInstance } from "../instances/change-instance.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { keepHouse } from "../upkeep/keep-house.ts"
import { seriesOf } from "./counter-series.ts"

let database: { dsn: string; drop(): Promise<void> }
let one: Kernel
let two: Kernel

beforeAll(async () => {
  database = await createTestDatabase()
  one = await createBareKernel(database.dsn)
  two = await createBareKernel(database.dsn)
  const document = workflow("flow", [service("work", "end", { retryCount: 0 }), end()])
  await uploadDefinition(one, { document, actor: "local" })
})
beforeEach(async () => {
  for (const kernel of [one, two]) await seriesOf(kernel).flush(kernel, false)
  await one.db.script("truncate millrace.counter_series, millrace.flow_series, millrace.worker_sightings")
  await stopClock(one, "2026-03-01T09:31:05.000Z")
})
afterAll(async () => {
  await one.db.close()
  await two.db.close()
  await database.drop()
})

const rows = (columns: string): Promise<Row[]> =>
  one.db.script(`select span, ${columns} from millrace.counter_series order by span, at`)
const flush = (kernel: Kernel, leads = false) => seriesOf(kernel).flush(kernel, leads)
const enqueue = (kernel: Kernel, jobType: string) =>
  enqueueJob(kernel, { jobType, payload: {}, retries: 1, whenFull: "refuse", actor: "local" })

describe("counts", () => {
  test("C-122: of two processes they add up, in spans of 2, 10 and 300 seconds", async () => {
    one.metrics.instancesStarted.inc(3)
    two.metrics.instancesStarted.inc(4)
    await Promise.all([flush(one), flush(two)])
    one.metrics.instancesStarted.inc(1)
    await flush(one)
    expect(await rows("started, extract(epoch from at)::bigint as at")).toEqual([
      { span: 2, started: 8, at: Date.parse("2026-03-01T09:31:04Z") / 1_000 },
      { span: 10, started: 8, at: Date.parse("2026-03-01T09:31:00Z") / 1_000 },
      { span: 300, started: 8, at: Date.parse("2026-03-01T09:30:00Z") / 1_000 },
    ])
  })

  test("a span ends where the next begins", async () => {
    const beginnings = async () =>
      (await rows("at")).map(({ at }) => new Date(at as number).toISOString().slice(11, 19))
    await stopClock(one, "2026-03-01T09:59:59.999Z")
    one.metrics.instancesStarted.inc()
    await flush(one)
    expect(await beginnings()).toEqual(["09:59:58", "09:59:50", "09:55:00"])
    await stopClock(one, "2026-03-01T10:00:00.000Z")
    one.metrics.instancesStarted.inc()
    await flush(one)
    expect(await beginnings()).toEqual(["09:59:58", "10:00:00", "09:59:50", "10:00:00", "09:55:00", "10:00:00"])
  })

  test("what a flush could not write comes with the next, once", async () => {
    one.metrics.jobsProcessed.inc({ status: "completed" }, 5)
    for (let n = 0; n < 2; n++) seriesOf(one).flow.handOut({ priority: "high", downstream: "mail" }, 1)
    await one.db.script("alter table millrace.counter_series rename to away")
    await expect(flush(one)).rejects.toThrow()
    await one.db.script("alter table millrace.away rename to counter_series")
    one.metrics.jobsProcessed.inc({ status: "completed" }, 1)
    await flush(one)
    await flush(one)
    expect((await rows("jobs_completed")).map((row) => row.jobs_completed)).toEqual([6, 6, 6])
    expect(await one.db.script("select part, name, jobs from millrace.flow_series order by part")).toEqual([
      { part: "claimed", name: "high", jobs: 2 },
      { part: "started", name: "mail", jobs: 2 },
    ])
  })

  test("every counter counts what it says", async () => {
    const worker = drive(one)
    const [completed, failed, cancelled] = [
      await worker.start("flow"),
      await worker.start("flow"),
      await worker.start("flow"),
    ]
    const jobs = await worker.claim(["work"])
    const jobOf = (id: string) => jobs.find(({ instanceId }) => instanceId === id) as (typeof jobs)[number]
    await worker.complete(jobOf(completed))
    await worker.fail(jobOf(failed), "boom", false)
    await cancelInstance(one, { instanceId: cancelled, actor: "local", reason: undefined })
    for (const jobType of ["good", "bad", "worse"]) await enqueue(one, jobType)
    await worker.complete(await worker.claimOne("good"))
    await worker.fail(await worker.claimOne("bad"))
    await worker.fail(await worker.claimOne("worse"), "boom", false)
    one.metrics.backpressureRejections.inc(2)
    await flush(one)
    const [row] = await rows("*")
    expect(row).toMatchObject({ started: 3, completed: 1, failed: 1, cancelled: 1 })
    expect(row).toMatchObject({ jobs_enqueued: 3, jobs_completed: 1, jobs_failed: 1, jobs_dead: 1, rejected: 2 })
    expect(row?.steps).toBeGreaterThanOrEqual(3)
    expect(row).toMatchObject({ depth_critical: null, leased: null, dead_letters: null })
  })

  test("where nothing has happened nothing is sent", async () => {
    one.metrics.instancesStarted.inc()
    await flush(one)
    const asked = vi.spyOn(one.db, "query")
    await flush(one)
    await flush(one)
    expect(asked).not.toHaveBeenCalled()
    asked.mockRestore()
  })
})

describe("gauges", () => {
  const gauges = async () =>
    (await rows("depth_critical, depth_high, depth_normal, leased, dead_letters")).map((r) => Object.values(r))

  beforeEach(async () => {
    await one.db.script(
      "truncate millrace.jobs, millrace.depth_deltas, millrace.depths, millrace.dead_letters; update millrace.gates set live = 0",
    )
    one = { ...one }
  })

  test("only the process that leads the meter writes them, when they differ from the last", async () => {
    await addJobs(one.db, await queueOf(one, "high"), 2)
    seriesOf(two).stir()
    await flush(two, false)
    expect(await gauges()).toEqual([])
    // It counts from its beginning: the gauges are what is new.
    await flush(one, true)
    expect((await gauges())[0]).toEqual([2, 0, 2, 0, 0, 0])
    await one.db.script("truncate millrace.counter_series")
    seriesOf(one).stir()
    await flush(one, true)
    expect(await gauges()).toEqual([])
    await endJobs(one.db, await queueOf(one, "high"), 1)
    seriesOf(one).stir()
    await flush(one, true)
    expect(await gauges()).toEqual([2, 10, 300].map((span) => [span, 0, 1, 0, 0, 0]))
  })

  test("they stand beside the counts of the others, and the last of a span counts", async () => {
    for (const jobs of [1, 2]) {
      await addJobs(one.db, await queueOf(one, "normal"), jobs)
      seriesOf(one).stir()
      await flush(one, true)
      two.metrics.instancesStarted.inc()
      await flush(two)
    }
    expect(await gauges()).toEqual([2, 10, 300].map((span) => [span, 0, 0, 3, 0, 0]))
  })

  test("nobody asks for them until something may have changed", async () => {
    await flush(one, true)
    const asked = vi.spyOn(one.db, "query")
    await addJobs(one.db, await queueOf(one, "normal"), 1)
    await flush(one, true)
    seriesOf(one).sawDeadLetters(0)
    await flush(one, true)
    expect(asked).not.toHaveBeenCalled()
    seriesOf(one).sawDeadLetters(1)
    await flush(one, true)
    expect(asked).toHaveBeenCalled()
    asked.mockRestore()
  })

  test("what could not be read or written is read again", async () => {
    await addJobs(one.db, await queueOf(one, "normal"), 1)
    for (const table of ["dead_letters", "counter_series"]) {
      await one.db.script(`alter table millrace.${table} rename to away`)
      await expect(flush(one, true)).rejects.toThrow()
      await one.db.script(`alter table millrace.away rename to ${table}`)
    }
    await flush(one, true)
    expect((await gauges())[0]).toEqual([2, 0, 0, 1, 0, 0])
  })
})

describe("housekeeping", () => {
  test("each span is kept for its time, workers and what flowed for an hour", async () => {
    const kept = async () => [
      ...(await one.db.script("select span::text as name from millrace.counter_series order by span")),
      ...(await one.db.script("select worker_id as name from millrace.worker_sightings")),
      ...(await one.db.script("select name from millrace.flow_series")),
    ]
    const names = async () => (await kept()).map(({ name }) => name)
    one.metrics.instancesStarted.inc()
    seriesOf(one).workers.begin("w", ["a"])
    seriesOf(one).flow.accept(["rest"])
    await flush(one)
    await keepHouse(one)
    expect(await names()).toEqual(["2", "10", "300", "w", "rest"])
    const pass = async (minutes: number) => {
      await advanceClock(one, minutes * 60_000)
      await keepHouse(one)
      return names()
    }
    expect(await pass(59)).toEqual(["2", "10", "300", "w", "rest"])
    expect(await pass(2)).toEqual(["10", "300"])
    expect(await pass(300)).toEqual(["300"])
    expect(await pass(7 * 1_440 + 1_000)).toEqual(["300"])
    expect(await pass(300)).toEqual([])
    expect(await countRows(one.db, "counter_series")).toBe(0)
  })
})
