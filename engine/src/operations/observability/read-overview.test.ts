// The overview on a real database: each of its figures from where it comes, and none that grows with what there is.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { DOORS, type Door } from "../../model/flow/doors.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { stopClock } from "../../test-support/database-clock.ts"
import { end, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { addJobs, queueOf } from "../../test-support/live-jobs.ts"
import { createStatementWatch, type StatementWatch } from "../../test-support/statement-watch.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { setDownstream } from "../flow/change-downstreams.ts"
import { pause, resume } from "../flow/change-pauses.ts"
import { gatesOf } from "../flow/gates.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import { readWorkers } from "../flow/read-queues.ts"
import { startInstance } from "../instances/start/start-instance.ts"
import { claimJobs } from "../jobs/claim/claim-jobs.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { enqueueMany } from "../jobs/enqueue/enqueue-many.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { seriesOf } from "./counter-series.ts"
import { readOverview } from "./read-overview.ts"

let database: { dsn: string; drop(): Promise<void> }
let watch: StatementWatch
let kernel: Kernel

beforeAll(async () => {
  database = await createTestDatabase()
  watch = await createStatementWatch(database.dsn)
  kernel = await createBareKernel(watch.dsn)
  await liveSettingsOf(kernel).refresh()
})
beforeEach(async () => {
  await kernel.db.script(`truncate millrace.jobs, millrace.depth_deltas, millrace.depths, millrace.dead_letters, millrace.counter_series,
    millrace.flow_series, millrace.worker_sightings, millrace.user_tasks; update millrace.gates set live = 0`)
  await stopClock(kernel, "2026-03-01T09:31:05.000Z")
})
afterAll(async () => {
  await kernel.db.close()
  await watch.close()
  await database.drop()
})

const OPERATOR = { actor: "anna" }
const NOTHING = {
  started: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  steps: 0,
  jobsEnqueued: 0,
  jobsCompleted: 0,
  jobsFailed: 0,
  jobsDead: 0,
  rejected: 0,
}
const gate = { depth: 0, highWatermark: 10_000, lowWatermark: 2_000, shut: false }
const priority = { ...gate, paused: false, oldestWaitingSeconds: null, claimedPerSecond: 0, steps: 0 }

test("C-122: of an engine that does nothing, in two statements", async () => {
  await readOverview(kernel)
  watch.forget()
  expect(await readOverview(kernel)).toEqual({
    at: "2026-03-01T09:31:05.000Z",
    rates: NOTHING,
    intake: DOORS.map((door) => ({ door, acceptedPerSecond: 0, refusedPerSecond: 0 })),
    lanes: [
      { name: "critical", ...priority, weight: 60 },
      { name: "high", ...priority, weight: 30 },
      { name: "normal", ...priority, weight: 10 },
    ],
    total: { ...gate, highWatermark: 30_000, lowWatermark: 6_000 },
    leases: 0,
    leasesAreExact: true,
    workers: 0,
    busyWorkers: 0,
    deadLetters: 0,
    deadLettersAreExact: true,
    openUserTasks: 0,
    openUserTasksAreExact: true,
    overdueUserTasks: 0,
    downstreams: [],
  })
  expect(watch.statements.filter((text) => !text.includes("plan_cache_mode"))).toHaveLength(2)
})

test("rates are those of the last two spans that are over, of all processes", async () => {
  await kernel.db.script(`insert into millrace.counter_series (span, at, started, jobs_dead) values
    (2, '2026-03-01T09:30:58Z', 1000, 0), (2, '2026-03-01T09:31:00Z', 6, 0), (2, '2026-03-01T09:31:02Z', 8, 2),
    (2, '2026-03-01T09:31:04Z', 1000, 0), (10, '2026-03-01T09:31:00Z', 1000, 0)`)
  expect((await readOverview(kernel)).rates).toEqual({ ...NOTHING, started: 3.5, jobsDead: 0.5 })
  await stopClock(kernel, "2026-03-01T09:31:06.000Z")
  expect((await readOverview(kernel)).rates.started).toBe(252)
})

test("priorities: depth, gate, pause, and who has waited longest, jobs and steps alike", async () => {
  await addJobs(kernel.db, await queueOf(kernel, "critical"), 2)
  await addJobs(kernel.db, await queueOf(kernel, "high", "flow"), 1)
  await stopClock(kernel, "2026-03-01T09:31:12.900Z")
  await addJobs(kernel.db, await queueOf(kernel, "critical"), 1)
  await pause(kernel, OPERATOR, { kind: "queue", name: "high", reason: "x" })
  const { lanes, total } = await readOverview(kernel)
  expect(lanes).toMatchObject([
    { name: "critical", depth: 3, steps: 0, oldestWaitingSeconds: 7, paused: false },
    { name: "high", depth: 0, steps: 1, oldestWaitingSeconds: 7, paused: true },
    { name: "normal", depth: 0, oldestWaitingSeconds: null, paused: false },
  ])
  expect(total.depth).toBe(3)
  await resume(kernel, OPERATOR, { kind: "queue", name: "high", reason: undefined })
})

test("what people have to do", async () => {
  const ask = (id: string, more: object) =>
    workflow(id, [step("USER_TASK", "u", { nextStep: "end", assigneeGroup: "g", ...more }), end()])
  for (const document of [ask("ask", {}), ask("hurry", { dueIn: "PT1M" })])
    await uploadDefinition(kernel, { document, actor: "local" })
  for (const id of ["ask", "ask", "hurry"]) await drive(kernel).start(id)
  expect(await readOverview(kernel)).toMatchObject({ openUserTasks: 3, overdueUserTasks: 0 })
  await stopClock(kernel, "2026-03-01T09:32:05.001Z")
  expect(await readOverview(kernel)).toMatchObject({ openUserTasks: 3, overdueUserTasks: 1 })
})

test("beyond 10,000 nothing is counted", async () => {
  await addJobs(kernel.db, await queueOf(kernel, "normal"), 10_001)
  await kernel.db.script(
    `update millrace.jobs set status = 'leased', worker_id = 'w' || seq % 7, lease_until = millrace.clock() + interval '30 s'`,
  )
  await kernel.db.script(`insert into millrace.dead_letters
      (id, source, instance_id, execution, step_id, queue_id, reason, error, failure, attempts, retry_count, dead_at)
    select 'd' || n, 'job', 'i' || n, 0, 'work', 1, 'exhausted', 'boom', 'f', 1, 0, millrace.clock() from generate_series(1, 10001) n`)
  expect(await readOverview(kernel)).toMatchObject({
    total: { depth: 10_001 },
    leases: 10_000,
    leasesAreExact: false,
    deadLetters: 10_000,
    deadLettersAreExact: false,
    workers: 7,
    busyWorkers: 7,
    openUserTasksAreExact: true,
  })
  await kernel.db.script("delete from millrace.dead_letters where id = 'd1'")
  expect(await readOverview(kernel)).toMatchObject({ deadLetters: 10_000, deadLettersAreExact: true })
})

describe("downstreams", () => {
  const enqueue = (jobType: string, downstream: string) =>
    enqueueJob(kernel, { jobType, payload: {}, downstream, whenFull: "refuse", actor: "local" })

  test("what each may take and takes, the busiest first", async () => {
    await setDownstream(kernel, OPERATOR, { name: "mail", perSecond: 40, concurrency: 5, adaptive: true })
    for (const [type, to] of [
      ["letter", "mail"],
      ["letter", "mail"],
      ["call", "phone"],
    ] as const)
      await enqueue(type, to)
    await drive(kernel).claim(["letter", "call"])
    await enqueue("letter", "mail")
    await seriesOf(kernel).flush(kernel, false)
    await kernel.db.script("update millrace.downstreams set closed_until = millrace.clock() + interval '3 s'")
    await pause(kernel, OPERATOR, { kind: "downstream", name: "phone", reason: "x" })
    await stopClock(kernel, "2026-03-01T09:31:06.500Z")
    expect((await readOverview(kernel)).downstreams).toEqual([
      {
        name: "mail",
        perSecond: 40,
        concurrency: 5,
        inFlight: 2,
        waiting: 1,
        startedPerSecond: 0.5,
        pushedBackUntil: "2026-03-01T09:31:08.000Z",
        paused: false,
      },
      { name: "phone", inFlight: 1, waiting: 0, startedPerSecond: 0.25, paused: true },
    ])
  })
})

test("what comes in by each door, what is refused there, and what each priority is given", async () => {
  const enqueue = (door: Door, more: object = {}) =>
    enqueueJob(kernel, { jobType: "flowing", payload: {}, whenFull: "refuse", door, actor: "local", ...more })
  await seriesOf(kernel).flush(kernel, false)
  await kernel.db.script("truncate millrace.flow_series, millrace.counter_series")
  for (const door of ["rest", "rest", "grpc"] as const) await enqueue(door, { priority: "high" })
  await enqueueMany(kernel, [{ jobType: "flowing", payload: {}, whenFull: "refuse", door: "library", actor: "local" }])
  await startInstance(kernel, { definitionId: "ask", variables: {}, door: "schedule", actor: "local" })
  gatesOf(kernel).heardAll(["normal"])
  await expect(enqueue("rest")).rejects.toMatchObject({ code: "backpressure" })
  gatesOf(kernel).heardAll([])
  await drive(kernel).claim(["flowing"], 4)
  await seriesOf(kernel).flush(kernel, false)
  await stopClock(kernel, "2026-03-01T09:31:06.500Z")
  const { intake, lanes, busyWorkers } = await readOverview(kernel)
  expect(intake).toEqual([
    { door: "rest", acceptedPerSecond: 0.5, refusedPerSecond: 0.25 },
    { door: "grpc", acceptedPerSecond: 0.25, refusedPerSecond: 0 },
    { door: "library", acceptedPerSecond: 0.25, refusedPerSecond: 0 },
    { door: "kafka", acceptedPerSecond: 0, refusedPerSecond: 0 },
    { door: "schedule", acceptedPerSecond: 0.25, refusedPerSecond: 0 },
    { door: "sql", acceptedPerSecond: 0, refusedPerSecond: 0 },
  ])
  expect(lanes.map(({ claimedPerSecond }) => claimedPerSecond)).toEqual([0, 0.75, 0.25])
  expect(busyWorkers).toBe(1)
})

describe("workers", () => {
  const ids = async () =>
    (await readWorkers(kernel)).items.map(({ workerId, inFlight, polling }) => [workerId, inFlight, polling])

  test("one that asks without getting is there, and is gone when it has not asked for 45 seconds", async () => {
    await drive(kernel, "idle").claim(["nothing", "less"])
    await seriesOf(kernel).flush(kernel, false)
    const { items } = await readWorkers(kernel)
    expect(items).toEqual([
      {
        workerId: "idle",
        inFlight: 0,
        jobTypes: ["nothing", "less"],
        firstSeenAt: expect.stringMatching(/^2026-03-01T09:31:0/),
        lastSeenAt: items[0]?.firstSeenAt,
        polling: true,
      },
    ])
    expect((await readOverview(kernel)).workers).toBe(1)
    await stopClock(kernel, "2026-03-01T09:31:49.000Z")
    expect(await ids()).toEqual([["idle", 0, true]])
    await stopClock(kernel, "2026-03-01T09:31:51.000Z")
    expect(await ids()).toEqual([])
    expect((await readOverview(kernel)).workers).toBe(0)
  })

  test("one that hangs up is gone at once, unless it was seen later by another process", async () => {
    const hangUp = async (workerId: string) => {
      const hung = new AbortController()
      const claim = {
        workerId,
        jobTypes: ["nothing"],
        maxJobs: 1,
        leaseMs: 30_000,
        waitMs: 30_000,
        signal: hung.signal,
      }
      const asking = claimJobs(kernel, claim)
      await seriesOf(kernel).flush(kernel, false)
      expect(await ids()).toEqual([[workerId, 0, true]])
      hung.abort()
      await asking
    }
    await hangUp("leaving")
    await seriesOf(kernel).flush(kernel, false)
    expect(await ids()).toEqual([])
    expect((await readOverview(kernel)).workers).toBe(0)
    await hangUp("elsewhere")
    await kernel.db.script("update millrace.worker_sightings set last_seen_at = last_seen_at + interval '1 minute'")
    await seriesOf(kernel).flush(kernel, false)
    expect(await ids()).toEqual([["elsewhere", 0, true]])
    await kernel.db.script("delete from millrace.worker_sightings")
  })

  test("one that works stays, however long ago it asked", async () => {
    await enqueueJob(kernel, { jobType: "long", payload: {}, whenFull: "refuse", actor: "local" })
    await drive(kernel, "busy").claimOne("long")
    await seriesOf(kernel).flush(kernel, false)
    expect(await ids()).toEqual([["busy", 1, true]])
    await stopClock(kernel, "2026-03-01T09:41:00.000Z")
    expect(await ids()).toEqual([["busy", 1, false]])
    expect((await readWorkers(kernel)).items[0]?.firstSeenAt).toMatch(/^2026-03-01T09:31:0/)
    expect((await readOverview(kernel)).workers).toBe(1)
  })
})
