// C-104..C-109, C-114, C-T8: what becomes of a job, with the real runner on the real engine.
import { type Job, NonRetryableError, RetryLaterError } from "@millrace/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useOneStep } from "../test-support/one-step.ts"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"
import { useRunners } from "../test-support/runners.ts"
import { Tally } from "../test-support/tally.ts"
import { auditCount, ended, eventually } from "../watch.ts"

let engine: RealEngine
const run = useRunners(() => engine.url)

beforeAll(async () => {
  engine = await openRealEngine()
})
afterAll(() => engine.close())

test.each([
  ["long polls", { waitSeconds: 5 }],
  ["a fixed interval", { pollIntervalMs: 20 }],
] as const)("C-T8, C-106, C-108: by %s, a handler gets its job and sets variables", async (_, polling) => {
  const jobType = `greet-${Object.keys(polling)[0]}`
  const start = await useOneStep(engine, jobType, { retryCount: 2 })
  const seen = new Tally<Job>()
  run(
    {
      [jobType]: (job) => {
        seen.add(job)
        return { greeting: `hello ${job.variables.name}` }
      },
    },
    { polling },
  )
  const started = await start({ name: "Ada" })
  const instance = await ended(engine.client, started.id)
  expect(instance).toMatchObject({ status: "COMPLETED", variables: { name: "Ada", greeting: "hello Ada" } })
  const [execution] = await engine.client.getHistory(started.id)
  expect(seen.items).toEqual([
    {
      id: expect.any(String),
      jobType,
      instanceId: started.id,
      stepId: "work",
      stepExecutionId: execution?.id,
      definitionId: jobType,
      variables: { name: "Ada" },
      attempt: 1,
      retriesRemaining: 2,
      lockExpiresAt: expect.stringMatching(/Z$/),
      leaseToken: expect.any(String),
      priority: "normal",
      idempotencyKey: expect.any(String),
    },
  ])
})

test("C-T8, C-109: a plain error is retryable; the next attempts see fewer retries and the same key", async () => {
  const start = await useOneStep(engine, "flaky", { retryCount: 2 })
  const seen = new Tally<Job>()
  const runner = run({
    flaky: (job) => {
      seen.add(job)
      if (job.attempt < 3) throw new Error("not yet")
      return { done: true }
    },
  })
  const { id } = await start()
  expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { done: true } })
  expect(seen.items.map(({ attempt, retriesRemaining }) => [attempt, retriesRemaining])).toEqual([
    [1, 2],
    [2, 1],
    [3, 0],
  ])
  expect(new Set(seen.items.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  expect(new Set(seen.items.map(({ leaseToken }) => leaseToken)).size, "each delivery has its own token").toBe(3)
  await eventually("the last report was answered", async () =>
    runner.metricsText().includes('outcome="success"} 1') ? true : undefined,
  )
  expect(runner.metricsText()).toContain('workflow_sdk_retries_total{job_type="flaky"} 2')
  expect(runner.metricsText()).toContain('workflow_sdk_jobs_completed_total{job_type="flaky",outcome="failure"} 2')
})

test.each(["exchange", "poll"] as const)(
  "C-109: in mode %s the stack of what a handler threw is at its step",
  async (mode) => {
    const jobType = `traced-${mode}`
    const start = await useOneStep(engine, jobType, { retryCount: 1 })
    const charge = ({ attempt }: Job) => {
      throw new Error(`no ${attempt}`)
    }
    run({ [jobType]: charge }, { mode })
    const { id } = await start()
    await ended(engine.client, id)
    const { items } = await engine.client.getSteps(id)
    expect(items[0]).toMatchObject({
      status: "FAILED",
      stack: expect.stringMatching(/^Error: no 2\n +at .*outcomes\.test/),
      attempts: [{ stack: expect.stringMatching(/^Error: no 1\n +at .*outcomes\.test/) }],
    })
  },
)

test("C-109: RetryLaterError holds the job back until its time has come", async () => {
  const start = await useOneStep(engine, "later", { retryCount: 1 })
  const seen = new Tally<Job>()
  run({
    later: (job) => {
      seen.add(job)
      if (job.attempt === 1) throw new RetryLaterError("come back in an hour", { afterSeconds: 3_600 })
    },
  })
  const { id } = await start()
  await eventually("the job is held back", async () =>
    (await engine.client.getWaiting(id)).find(({ kind }) => kind === "retry"),
  )
  expect(seen.items).toHaveLength(1)
  await engine.advanceClock(3_601_000)
  expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED" })
  expect(seen.items).toHaveLength(2)
})

test("C-T8, C-109: a NonRetryableError fails for good, whatever retries are left", async () => {
  const start = await useOneStep(engine, "stolen", { retryCount: 5 })
  run({
    stolen: () => {
      throw new NonRetryableError("the card is stolen")
    },
  })
  const { id } = await start()
  const instance = await ended(engine.client, id)
  expect(instance).toMatchObject({ status: "FAILED", failureReason: expect.stringContaining("the card is stolen") })
  expect(await auditCount(engine.client, id, "JOB_RETRIED")).toBe(0)
})

test("C-T8, C-109: a job without a handler fails for good and says so", async () => {
  const start = await useOneStep(engine, "ghost", { retryCount: 5 })
  run({ jobTypes: () => ["ghost"], find: () => undefined })
  const { id } = await start()
  const instance = await ended(engine.client, id)
  expect(instance).toMatchObject({
    status: "FAILED",
    failureReason: expect.stringContaining("no handler registered for ghost"),
  })
  expect(await auditCount(engine.client, id, "JOB_RETRIED")).toBe(0)
})

test.each([
  ["is not an object", () => 42],
  ["the engine refuses", () => ({ text: "a\u0000b" })],
])("C-109: a result that %s fails for good, and the runner goes on", async (what, handler) => {
  const jobType = `bad-result-${what.length}`
  const start = await useOneStep(engine, jobType, { retryCount: 5 })
  const handlers = { [jobType]: (job: Job) => (job.variables.good ? { fine: true } : handler()) }
  run(handlers as never)
  const [bad, good] = await Promise.all([start(), start({ good: true })])
  expect(await ended(engine.client, bad.id)).toMatchObject({ status: "FAILED", variables: {} })
  expect(await ended(engine.client, good.id)).toMatchObject({ status: "COMPLETED" })
  expect(await auditCount(engine.client, bad.id, "JOB_RETRIED")).toBe(0)
})

test("C-115: workers may come and go; two share the work and every result counts once", async () => {
  const start = await useOneStep(engine, "shared")
  const ran = new Tally<string>()
  const handlers = {
    shared: (job: Job) => {
      ran.add(job.instanceId)
      return { by: job.variables.n }
    },
  }
  const first = run(handlers, { concurrency: 4 })
  const instances = await Promise.all(Array.from({ length: 20 }, (_, n) => start({ n })))
  await ran.reach(5)
  run(handlers, { concurrency: 4 })
  expect(await first.stop()).toEqual({ drained: true, unfinished: 0 })
  for (const [n, { id }] of instances.entries())
    expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { n, by: n } })
  expect(ran.items.sort()).toEqual(instances.map(({ id }) => id).sort())
})

test("C-114: the SDK's metrics are there under their names", async () => {
  const start = await useOneStep(engine, "measured")
  const runner = run({ measured: () => {} })
  const { id } = await start()
  await ended(engine.client, id)
  await eventually("the report was answered", async () =>
    runner.metricsText().includes('workflow_sdk_jobs_completed_total{job_type="measured",outcome="success"} 1')
      ? true
      : undefined,
  )
  for (const [name, kind] of [
    ["workflow_sdk_poll_latency_seconds", "histogram"],
    ["workflow_sdk_lock_conflicts_total", "counter"],
    ["workflow_sdk_handler_latency_seconds", "histogram"],
    ["workflow_sdk_retries_total", "counter"],
    ["workflow_sdk_jobs_completed_total", "counter"],
  ])
    expect(runner.metricsText()).toContain(`# TYPE ${name} ${kind}\n`)
  expect(runner.metricsText()).toContain('workflow_sdk_handler_latency_seconds_count{job_type="measured"} 1')
})
