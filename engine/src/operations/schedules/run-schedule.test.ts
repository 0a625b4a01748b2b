// What a schedule starts and when it does not: by hand, as a job, over a run that has not ended, and after an outage.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { MOST_MADE_UP } from "../../model/schedules/schedule-ticks.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, startClock, stopClock } from "../../test-support/database-clock.ts"
import { drive } from "../../test-support/drive.ts"
import { noTerm } from "../../test-support/loops.ts"
import { countRows } from "../../test-support/rows.ts"
import { createScheduleEngine, driveSchedules, MINUTE_MS, type Schedules } from "../../test-support/schedules.ts"
import type { TestEngine } from "../../test-support/test-engine.ts"
import { releaseJobs } from "../flow/release-jobs.ts"
import { getJob } from "../jobs/read-jobs.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { takePulse } from "../upkeep/take-pulse.ts"
import { fireSchedules } from "./fire-schedules.ts"
import { getSchedule, type ScheduleRunView } from "./read-schedules.ts"
import { runSchedule } from "./run-schedule.ts"
import type { ScheduleSpec } from "./write-schedule.ts"

let engine: TestEngine
let kernel: Kernel
let worker: ReturnType<typeof drive>
let schedules: Schedules

beforeAll(async () => {
  engine = await createScheduleEngine()
  kernel = engine.kernel
  worker = drive(kernel)
  schedules = driveSchedules(kernel)
})
beforeEach(() => schedules.clear())
afterAll(() => engine.close())

describe("B-19: by hand", () => {
  /** Each at a time of its own. */
  const run = async (id: string): Promise<ScheduleRunView> => {
    await advanceClock(kernel, 1)
    return (await runSchedule(kernel, { id, actor: "ada", reach: EVERYTHING })).outcome
  }

  test("B-19: the same work by the same way, also while the schedule is disabled", async () => {
    await schedules.minutely("m", { enabled: false, input: { by: "hand" } })
    const done = await run("m")
    expect(done).toMatchObject({ cause: "manual", outcome: "started" })
    expect(await worker.get(done.workId ?? "")).toMatchObject({ variables: { by: "hand" } })
    expect(await schedules.runs("m")).toMatchObject([{ ...done, firedAt: expect.any(String) }])
    expect(await getSchedule(kernel, "m")).toMatchObject({ lastWorkId: done.workId })
  })

  test("B-19: under the same rules, and beside the ticks", async () => {
    await schedules.minutely("m")
    const { nextAt } = await getSchedule(kernel, "m")
    await run("m")
    expect(await run("m")).toMatchObject({ outcome: "skipped" })
    expect((await getSchedule(kernel, "m")).nextAt).toBe(nextAt)
    await schedules.endWork()
    await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "skipped", "started"])
  })

  test("what it cannot start it says; what is not there is not found", async () => {
    await schedules.minutely("m", { definitionId: "nobody" })
    expect(await run("m")).toMatchObject({ outcome: "failed", detail: "there is no definition nobody" })
    await expect(run("nothing")).rejects.toMatchObject({ code: "not-found" })
  })

  test("two at once start one", async () => {
    await schedules.minutely("m")
    const request = { id: "m", actor: "ada", reach: EVERYTHING }
    await startClock(kernel)
    const done = await Promise.all(
      Array.from({ length: 4 }, () =>
        runSchedule(kernel, request).then(
          ({ outcome }) => outcome.outcome,
          (error) => error.code,
        ),
      ),
    )
    await stopClock(kernel)
    expect(done.filter((outcome) => outcome === "started")).toHaveLength(1)
    // A machine that is fast enough runs two of them in one millisecond, and refuses the second.
    for (const outcome of done) expect(["started", "skipped", "conflict"]).toContain(outcome)
  })
})

describe("scheduled jobs", () => {
  const job = (id: string, more: Partial<ScheduleSpec> = {}) =>
    schedules.minutely(id, { definitionId: undefined, jobType: "mail", input: { to: "ada" }, ...more })
  const lastJob = async (id: string) =>
    getJob(kernel, (await schedules.runs(id)).findLast(({ workId }) => workId)?.workId ?? "")

  test("B-01: a job of the type, with the input as its payload", async () => {
    await job("m", { priority: "high" })
    await schedules.tick("m")
    const claimed = await worker.claimOne("mail")
    expect(claimed).toMatchObject({ id: (await lastJob("m")).id, priority: "high" })
    expect(JSON.parse(claimed.variables)).toEqual({ to: "ada" })
    await worker.complete(claimed)
    await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "started"])
  })

  test("B-14: tried again after 1, 2 and 4 minutes, and no more than 3 times", async () => {
    await job("m", { jobType: "retried" })
    await schedules.tick("m")
    const { id } = await lastJob("m")
    for (const minutes of [1, 2, 4]) {
      await worker.fail(await worker.claimOne("retried"))
      const { visibleAt = 0 } = await getJob(kernel, id)
      expect(Math.round((visibleAt - kernel.clock.nowMs()) / MINUTE_MS)).toBe(minutes)
      await advanceClock(kernel, minutes * MINUTE_MS)
      await releaseJobs(kernel, noTerm)
    }
    await worker.fail(await worker.claimOne("retried"))
    expect(await getJob(kernel, id)).toMatchObject({ status: "FAILED" })
    await schedules.tick("m")
    expect((await schedules.outcomes("m")).at(-1)).toBe("started")
  })

  test("overlap skip, queue and cancel know whether a job has ended", async () => {
    for (const overlap of ["skip", "queue", "cancel"] as const) await job(overlap, { overlap, jobType: overlap })
    await schedules.tick("skip")
    await schedules.tick("skip")
    expect(await schedules.outcomes("skip")).toEqual(["started", "skipped"])
    expect(await schedules.outcomes("queue")).toEqual(["started", "queued"])
    expect(await schedules.outcomes("cancel")).toEqual(["started", "started"])
    const [cancelled, kept] = await schedules.runs("cancel")
    expect(await getJob(kernel, cancelled?.workId ?? "")).toMatchObject({ status: "CANCELLED" })
    expect(await getJob(kernel, kept?.workId ?? "")).toMatchObject({ status: "PENDING" })
    await worker.complete(await worker.claimOne("queue"))
    await schedules.fire()
    expect(await schedules.outcomes("queue")).toEqual(["started", "started"])
  })

  test("B-X6: two replicas at once, one job a tick", async () => {
    const other = await createBareKernel(engine.dsn)
    await job("m", { overlap: "cancel", jobType: "raced" })
    for (let round = 0; round < 5; round++) {
      await schedules.toNextTick("m")
      await Promise.all([kernel, other, kernel, other].map((one) => fireSchedules(one, noTerm)))
    }
    const ids = (await schedules.runs("m")).map(({ workId }) => workId)
    expect([ids.length, new Set(ids).size]).toEqual([5, 5])
    expect(await countRows(engine.db, "jobs", "step_id = 'raced'")).toBe(1)
    await other.db.close()
  })
})

describe("overlap", () => {
  test("skip: while the work of the last run is live, ticks pass", async () => {
    await schedules.minutely("m", { overlap: "skip" })
    for (let n = 0; n < 3; n++) await schedules.tick("m")
    const [first, second] = await schedules.runs("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "skipped", "skipped"])
    expect(second?.detail).toBe(`the run before it, ${first?.workId}, has not ended`)
    await schedules.endWork()
    await schedules.tick("m")
    expect((await schedules.outcomes("m")).at(-1)).toBe("started")
  })

  test("queue: one run waits, and begins when the other has ended", async () => {
    await schedules.minutely("m", { overlap: "queue" })
    for (let n = 0; n < 3; n++) await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "queued", "skipped"])
    expect((await takePulse(kernel, "somebody", 0)).due.scheduleAt).toBeLessThanOrEqual(kernel.clock.nowMs())
    expect(await schedules.fire()).toBe(0)
    await schedules.endWork()
    expect(await schedules.fire()).toBe(1)
    expect(await schedules.outcomes("m")).toEqual(["started", "started", "skipped"])
    expect(await schedules.fire()).toBe(0)
    await schedules.endWork()
    expect(await schedules.fire()).toBe(0)
  })

  test("cancel: the new run takes the place of the old one", async () => {
    await schedules.minutely("m", { overlap: "cancel" })
    await schedules.tick("m")
    await schedules.tick("m")
    const [first, second] = await schedules.runs("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "started"])
    expect(await worker.get(first?.workId ?? "")).toMatchObject({
      status: "CANCELLED",
      failureReason: "the next run of schedule m has begun",
    })
    expect((await worker.get(second?.workId ?? "")).status).toBe("ACTIVE")
  })

  test("cancel: what cannot begin ends nothing", async () => {
    await schedules.minutely("m", { overlap: "cancel" })
    await schedules.tick("m")
    await schedules.minutely("m", { overlap: "cancel", definitionId: "nobody" })
    await schedules.tick("m")
    const [first] = await schedules.runs("m")
    expect(await schedules.outcomes("m")).toEqual(["started", "failed"])
    expect((await worker.get(first?.workId ?? "")).status).toBe("ACTIVE")
  })
})

describe("catch-up, after an hour in which nobody fired", () => {
  const HOUR_MS = 60 * MINUTE_MS
  const afterAnHour = async (more: Partial<ScheduleSpec>) => {
    await schedules.minutely("m", more)
    // In the second half of a minute: the last tick is missed, too.
    await schedules.toNextTick("m", HOUR_MS + 40_000)
    await schedules.fire()
    return schedules.runs("m")
  }

  test("catch-up none: nothing, but a record of it", async () => {
    expect(await afterAnHour({ catchUp: "none" })).toMatchObject([
      { outcome: "skipped", detail: expect.stringContaining('catchUp is "none"') },
    ])
    await schedules.tick("m")
    expect(await schedules.outcomes("m")).toEqual(["skipped", "started"])
  })

  test("catch-up last: the last one", async () => {
    const [dropped, last] = await afterAnHour({ catchUp: "last" })
    expect([dropped?.outcome, last?.outcome]).toEqual(["skipped", "started"])
    expect(Date.parse(last?.dueAt ?? "") - Date.parse(dropped?.dueAt ?? "")).toBe(HOUR_MS)
  })

  test("catch-up all: each of them, one after the other, and each once", async () => {
    await afterAnHour({ catchUp: "all" })
    for (let done = 1; done <= 61; done++) {
      expect((await schedules.outcomes("m")).filter((outcome) => outcome === "started")).toHaveLength(done)
      expect(await schedules.fire()).toBe(0)
      await schedules.endWork()
      expect(await schedules.fire()).toBe(done < 61 ? 1 : 0)
    }
    const all = await schedules.runs("m")
    expect(new Set(all.map(({ workId }) => workId)).size).toBe(61)
    expect(new Set(all.map(({ dueAt }) => dueAt)).size).toBe(61)
  })

  test("catch-up all is bounded: the newest thousand, however long it was", async () => {
    await schedules.minutely("m", { catchUp: "all", cron: "* * * * * *" })
    await schedules.toNextTick("m", 30 * 24 * HOUR_MS)
    await schedules.fire()
    expect(await countRows(engine.db, "schedule_runs", "outcome = 'queued'")).toBeLessThanOrEqual(MOST_MADE_UP)
    const [dropped, first] = await schedules.runs("m")
    expect([dropped?.outcome, first?.outcome]).toEqual(["skipped", "started"])
    expect(dropped?.detail).toContain("more than 1000 were missed")
  })
})
