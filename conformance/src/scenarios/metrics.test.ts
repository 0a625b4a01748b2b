// C-116..C-118: the metrics the spec names, on their own port, moving with what they measure.
import { afterAll, beforeAll, expect, test } from "vitest"
import type { MetricsPage } from "./test-support/metrics-page.ts"
import { useOneStep } from "./test-support/one-step.ts"
import { openRealEngine, type RealEngine } from "./test-support/real-engine.ts"
import { eventually } from "./watch.ts"

let engine: RealEngine

beforeAll(async () => {
  engine = await openRealEngine()
})
afterAll(() => engine.close())

const poll = (jobType: string) => engine.client.poll({ workerId: "w", jobTypes: [jobType], maxJobs: 10 })

/** By how much each number moved while `work` was done. */
async function moved(work: () => Promise<unknown>) {
  const before = await engine.metrics()
  await work()
  const after = await engine.metrics()
  return (...which: Parameters<MetricsPage["value"]>) => after.value(...which) - before.value(...which)
}

const NAMES = {
  "C-116": {
    workflow_engine_job_lock_conflicts_total: "counter",
    workflow_engine_job_poll_latency_seconds: "histogram",
  },
  "C-117": {
    workflow_definitions_uploaded_total: "counter",
    workflow_instances_started_total: "counter",
    workflow_instances_completed_total: "counter",
    workflow_steps_executed_total: "counter",
    job_retries_total: "counter",
    http_requests_duration_seconds: "histogram",
  },
  "C-118": {
    engine_db_transaction_duration_seconds: "histogram",
    engine_db_lock_wait_duration_seconds: "histogram",
    engine_job_timeout_total: "counter",
    engine_job_pickup_latency_seconds: "histogram",
  },
}

test.each(Object.entries(NAMES))("%s: the names are on the metrics port before anything happened", async (_, names) => {
  const page = await engine.metrics()
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, page.kind(name)]))).toEqual(names)
})

test("C-01, C-116: metrics have a port of their own", async () => {
  expect((await fetch(`${engine.url}/metrics`)).status).toBe(404)
})

test("C-116: an empty queue and a queue whose jobs are all locked are counted apart", async () => {
  const CONFLICTS = "workflow_engine_job_lock_conflicts_total"
  const EMPTY = "workflow_engine_job_empty_polls_total"
  const start = await useOneStep(engine, "contended")
  const empty = await moved(() => poll("contended"))
  expect([empty(CONFLICTS), empty(EMPTY)]).toEqual([0, 1])

  await start()
  const other = await engine.db.dedicated()
  await other.query("begin")
  await other.query("select from millrace.jobs where status = 'ready' for update")
  const locked = await moved(async () => expect(await poll("contended")).toEqual([]))
  expect([locked(CONFLICTS), locked(EMPTY)]).toEqual([1, 0])
  await other.query("rollback")
  other.release()

  const found = await moved(async () => expect(await poll("contended")).toHaveLength(1))
  expect([found(CONFLICTS), found(EMPTY)]).toEqual([0, 0])
})

test.each(["workflow_engine_job_poll_latency_seconds", "engine_job_pickup_latency_seconds"])(
  "C-116, C-118: %s measures from creation to the first claim, and only the first",
  async (name) => {
    const jobType = `picked-up-${name}`
    const start = await useOneStep(engine, jobType, { retryCount: 1 })
    await start()
    const first = await moved(async () => {
      // Just beyond one bound, and as far from the next as can be: a slow machine adds to it.
      await engine.advanceClock(5_050)
      const [job] = await poll(jobType)
      await engine.client.fail(job!.id, { workerId: "w", retryable: true, errorMessage: "again" })
    })
    expect([first(`${name}_bucket`, { le: 5 }), first(`${name}_bucket`, { le: 10 }), first(`${name}_count`)]).toEqual([
      0, 1, 1,
    ])
    expect(first(`${name}_sum`)).toBeGreaterThanOrEqual(5)
    const second = await moved(async () => expect(await poll(jobType)).toHaveLength(1))
    expect(second(`${name}_count`)).toBe(0)
  },
)

test("C-118: pickup latency has buckets from 1 ms to 10 s, with one at the target of 50 ms", async () => {
  const page = await engine.metrics()
  const bounds = [...page.text.matchAll(/^engine_job_pickup_latency_seconds_bucket\{le="([^"]+)"\}/gm)].map(
    ([, le]) => le,
  )
  expect([bounds[0], bounds.at(-2), bounds.at(-1)]).toEqual(["0.001", "10", "+Inf"])
  expect(bounds).toContain("0.05")
})

test("C-117: definitions, instances, steps, retries and requests are counted, each by what it is", async () => {
  const JOB = "counted"
  const start = await useOneStep(engine, JOB, { retryCount: 1 })
  const uploads = await moved(async () => {
    await useOneStep(engine, "counted-other")
    await useOneStep(engine, "counted-other")
  })
  expect(uploads("workflow_definitions_uploaded_total"), "the same content is stored once").toBe(1)

  const one = await moved(async () => {
    const [completed, failed, cancelled] = [await start(), await start(), await start()]
    const jobs = new Map((await poll(JOB)).map((job) => [job.instanceId, job.id]))
    const signed = { workerId: "w" }
    await engine.client.complete(jobs.get(completed.id)!, signed)
    const failure = { ...signed, errorMessage: "no" }
    await engine.client.fail(jobs.get(failed.id)!, { ...failure, retryable: true })
    await poll(JOB)
    await engine.client.fail(jobs.get(failed.id)!, { ...failure, retryable: false })
    await engine.client.cancelInstance(cancelled.id)
  })
  expect(one("workflow_instances_started_total")).toBe(3)
  for (const outcome of ["COMPLETED", "FAILED", "CANCELLED"])
    expect(one("workflow_instances_completed_total", { outcome }), outcome).toBe(1)
  expect(one("workflow_steps_executed_total", { step_type: "SERVICE_TASK" })).toBe(3)
  expect(one("workflow_steps_executed_total", { step_type: "END" })).toBe(1)
  expect(one("job_retries_total")).toBe(1)
  const requests = (path: string, status: number) =>
    one("http_requests_duration_seconds_count", { method: "POST", path, status })
  expect(requests("/v1/instances", 201)).toBe(3)
  expect(requests("/v1/jobs/poll", 200)).toBe(2)
  expect(requests("/v1/jobs/{jobId}/fail", 204), "the pattern, not the path").toBe(2)
  expect(requests("/v1/instances/{instanceId}/cancel", 200)).toBe(1)
})

test("C-118: transactions are measured by what they are for", async () => {
  const start = await useOneStep(engine, "timed")
  const during = await moved(async () => {
    await start()
    const [job] = await poll("timed")
    await engine.client.complete(job!.id, { workerId: "w" })
  })
  const count = "engine_db_transaction_duration_seconds_count"
  expect([during(count, { tx_type: "start" }), during(count, { tx_type: "advance" })]).toEqual([1, 1])
})

test("C-118: a wait for an instance that is held elsewhere is measured", async () => {
  const start = await useOneStep(engine, "held")
  await start()
  const [job] = await poll("held")
  const other = await engine.db.dedicated()
  const during = await moved(async () => {
    await other.query("begin")
    await other.query("select from millrace.instances where id = $1 for update", [job!.instanceId])
    const completed = engine.client.complete(job!.id, { workerId: "w" })
    await eventually("the completion waits for the lock", async () => {
      const [row] = await engine.db.script("select from pg_locks where not granted")
      return row
    })
    await other.query("rollback")
    await completed
  })
  other.release()
  expect(during("engine_db_lock_wait_duration_seconds_count", { operation: "advance" })).toBe(1)
  expect(during("engine_db_lock_wait_duration_seconds_sum", { operation: "advance" })).toBeGreaterThan(0)
})

test("C-118: an ended lease is a job timeout", async () => {
  const start = await useOneStep(engine, "expired")
  await start()
  const before = (await engine.metrics()).value("engine_job_timeout_total")
  expect(await poll("expired")).toHaveLength(1)
  await engine.advanceClock(31_000)
  await eventually("the lease was swept and counted", async () =>
    (await engine.metrics()).value("engine_job_timeout_total") > before ? true : undefined,
  )
})
