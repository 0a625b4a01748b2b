// The gauges of the queues: named as promised, 0 from the start, and measured now and then, not at every scrape.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { GaugeService } from "../../services/gauges.ts"
import { createMetrics } from "../../support/metrics.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { addJobs, queueOf } from "../../test-support/live-jobs.ts"
import { noTerm } from "../../test-support/loops.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { DepthFolder } from "./fold-depths.ts"
import { measureQueues } from "./measure-queues.ts"

let database: { dsn: string; drop(): Promise<void> }
let bare: Kernel
let kernel: Kernel
let nudged: [string, number][]

beforeAll(async () => {
  database = await createTestDatabase()
  bare = await createBareKernel(database.dsn)
  await stopClock(bare)
})
afterAll(async () => {
  await bare.db.close()
  await database.drop()
})
beforeEach(async () => {
  nudged = []
  kernel = { ...bare, metrics: createMetrics(), nudge: (loop, inMs) => void nudged.push([loop, inMs]) }
  await kernel.db.script(
    "truncate millrace.jobs, millrace.depth_deltas, millrace.depths, millrace.dead_letters; update millrace.gates set live = 0",
  )
})

/** Series and values, as a scrape reads them. */
async function scrape(name: string): Promise<Record<string, number>> {
  const text = await kernel.metrics.registry.getSingleMetricAsString(name)
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  )
}
const valueIn = async (name: string) => (await scrape(name))[""]

const priorities = (critical: number, high: number, normal: number) => ({
  '{priority="critical"}': critical,
  '{priority="high"}': high,
  '{priority="normal"}': normal,
})

describe("names", () => {
  test("D-40, B-15: every series of the queue is there from the start, at 0", async () => {
    expect(await scrape("queue_depth")).toEqual(priorities(0, 0, 0))
    expect(await scrape("jobs_processed_total")).toEqual({
      '{status="completed"}': 0,
      '{status="failed"}': 0,
      '{status="dead"}': 0,
      '{status="cancelled"}': 0,
    })
    expect(await scrape("backpressure_active")).toEqual({ ...priorities(0, 0, 0), '{priority="total"}': 0 })
    const single = [
      "backpressure_rejections_total",
      "zombie_jobs_reaped_total",
      "dead_letters",
      "workflows_queued_steps",
      "workflows_processed_steps_total",
      "workflows_failed_steps_total",
      "queue_heartbeat_age_seconds",
    ]
    for (const name of single) expect([name, await scrape(name)]).toEqual([name, { "": 0 }])
  })

  test("D-54: metrics are made once per engine, and two engines share none", () => {
    kernel.metrics.zombieJobsReaped.inc()
    expect(() => createMetrics()).not.toThrow()
  })
})

describe("measured", () => {
  test("D-40: queue_depth is ready, delayed and leased jobs by priority, folded or not", async () => {
    const normal = await queueOf(kernel, "normal")
    await addJobs(kernel.db, normal, 5)
    await addJobs(kernel.db, await queueOf(kernel, "high"), 2)
    await kernel.db.script(
      `update millrace.jobs set status = 'held', visible_at = 'infinity' where seq in (select seq from millrace.jobs where queue_id = ${normal} limit 2)`,
    )
    await measureQueues(kernel)
    expect(await scrape("queue_depth")).toEqual(priorities(0, 2, 5))
    await new DepthFolder(kernel).fold(noTerm)
    await measureQueues(kernel)
    expect(await scrape("queue_depth")).toEqual(priorities(0, 2, 5))
    expect((await scrape("queue_high_watermark"))['{priority="total"}']).toBe(30_000)
  })

  test("D-40: a scrape measures nothing: the figures stand until the next measurement", async () => {
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 1)
    expect(await scrape("queue_depth")).toEqual(priorities(0, 0, 0))
  })

  test("D-40: every process measures at its start and every 15 s", async () => {
    const every = vi.spyOn(globalThis, "setInterval")
    const service = new GaugeService(kernel)
    try {
      await addJobs(kernel.db, await queueOf(kernel, "critical"), 3)
      service.start()
      const [tick, ms] = every.mock.lastCall as unknown as [() => void, number]
      expect(ms).toBe(15_000)
      await service.settled()
      expect(await scrape("queue_depth")).toEqual(priorities(3, 0, 0))
      await addJobs(kernel.db, await queueOf(kernel, "critical"), 1)
      expect(await scrape("queue_depth")).toEqual(priorities(3, 0, 0))
      tick()
      await service.settled()
      expect(await scrape("queue_depth")).toEqual(priorities(4, 0, 0))
    } finally {
      await service.stop()
      every.mockRestore()
    }
  })

  test("B-15: queued steps are those that are ready: leased ones run, and runs that sleep are in no queue", async () => {
    const steps = await queueOf(kernel, "normal", "flow")
    await addJobs(kernel.db, steps, 9)
    await addJobs(kernel.db, await queueOf(kernel, "high", "flow"), 1)
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 4)
    const some = (n: number) =>
      `seq in (select seq from millrace.jobs where queue_id = ${steps} and status = 'ready' limit ${n})`
    await kernel.db.script(`update millrace.jobs set status = 'held' where ${some(2)}`)
    await kernel.db.script(
      `update millrace.jobs set status = 'leased', lease_until = millrace.clock() where ${some(3)}`,
    )
    await measureQueues(kernel)
    expect(await valueIn("workflows_queued_steps")).toBe(5)
    expect(nudged).toEqual([])
  })

  test("B-16: a backlog that came without a delta makes the leader look", async () => {
    await addJobs(kernel.db, await queueOf(kernel, "normal", "flow"), 51)
    await measureQueues(kernel)
    expect(nudged).toEqual([["meter", 0]])
  })

  test("the oldest that waits, by priority and kind", async () => {
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 1)
    await advanceClock(kernel, 60_000)
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 1)
    await addJobs(kernel.db, await queueOf(kernel, "high", "flow"), 1)
    await advanceClock(kernel, 30_000)
    await measureQueues(kernel)
    const ages = await scrape("queue_oldest_waiting_seconds")
    expect(Math.floor(ages['{priority="normal",kind="job"}'] ?? 0)).toBe(90)
    expect(Math.floor(ages['{priority="high",kind="step"}'] ?? 0)).toBe(30)
    expect(ages['{priority="critical",kind="job"}']).toBe(0)
    await kernel.db.script("delete from millrace.jobs")
    await measureQueues(kernel)
    expect((await scrape("queue_oldest_waiting_seconds"))['{priority="normal",kind="job"}']).toBe(0)
  })

  test("D-50: the heartbeat that is oldest, in seconds and in lengths of its lease", async () => {
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 2)
    const extend = "lease_until = millrace.clock() + interval '30 s'"
    const newest = "where seq = (select max(seq) from millrace.jobs)"
    await kernel.db.script(
      `update millrace.jobs set status = 'leased', lease_ms = 30000, claimed_at = millrace.clock(), ${extend}`,
    )
    await advanceClock(kernel, 20_000)
    await kernel.db.script(`update millrace.jobs set ${extend} ${newest}`)
    await measureQueues(kernel)
    expect(Math.floor((await valueIn("queue_heartbeat_age_seconds")) ?? 0)).toBe(20)
    await kernel.db.script(`update millrace.jobs set ${extend}`)
    await advanceClock(kernel, 5_000)
    await measureQueues(kernel)
    expect(Math.floor((await valueIn("queue_heartbeat_age_seconds")) ?? 0)).toBe(5)
    await advanceClock(kernel, 70_000)
    await measureQueues(kernel)
    expect(await valueIn("queue_heartbeat_age_leases")).toBeCloseTo(2.5, 1)
    await kernel.db.script("delete from millrace.jobs")
    await measureQueues(kernel)
    expect(await valueIn("queue_heartbeat_age_seconds")).toBe(0)
  })

  test("D-50: a lease that its run's end cuts short is not old from the start", async () => {
    await addJobs(kernel.db, await queueOf(kernel, "normal"), 1)
    await kernel.db.script(`update millrace.jobs set status = 'leased', lease_ms = 120000, claimed_at = millrace.clock(),
      lease_until = millrace.clock() + interval '30 s'`)
    await advanceClock(kernel, 10_000)
    await measureQueues(kernel)
    expect(Math.floor((await valueIn("queue_heartbeat_age_seconds")) ?? 0)).toBe(10)
  })

  test("D-50: dead letters are counted", async () => {
    await kernel.db.script(`insert into millrace.dead_letters (id, source, instance_id, execution, step_id, queue_id, reason, error, failure, attempts, retry_count, dead_at)
      select 'd' || n, 'job', 'i' || n, 0, 'work', 1, 'exhausted', 'boom', 'f', 1, 0, millrace.clock() from generate_series(1, 3) n`)
    await measureQueues(kernel)
    expect(await valueIn("dead_letters")).toBe(3)
  })
})
