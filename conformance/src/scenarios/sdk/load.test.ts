// C-107, C-104, C-110: how a runner takes on work: never more than it has places for, and few requests when there is much to do.
import type { Job } from "@millrace/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useOneStep } from "../test-support/one-step.ts"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"
import { useRunners } from "../test-support/runners.ts"
import { Tally } from "../test-support/tally.ts"
import { ended, eventually } from "../watch.ts"

let engine: RealEngine
const run = useRunners(() => engine.url)

beforeAll(async () => {
  engine = await openRealEngine()
})
afterAll(() => engine.close())

/** Handlers that run until the test ends them one by one. */
function gate() {
  const started = new Tally<() => void>()
  let running = 0
  let most = 0
  const handler = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((finish) => started.add(finish))
    running -= 1
  }
  return { handler, started, most: () => most }
}

async function claims(): Promise<number> {
  const [row] = await engine.db.script("select count(*) as n from millrace.jobs where epoch > 0")
  return row?.n as number
}

test("C-T8, C-107: a runner never claims more than it has free places, and fills each place that comes free", async () => {
  const start = await useOneStep(engine, "gated")
  const instances = await Promise.all(Array.from({ length: 9 }, () => start()))
  const { handler, started, most } = gate()
  run({ gated: handler }, { concurrency: 3 })
  for (let done = 0; done < instances.length; done++) {
    const open = Math.min(instances.length, done + 3)
    await started.reach(open)
    // Live rows of finished jobs are gone: what is claimed now is what runs now.
    await eventually(`${open - done} jobs are claimed`, async () =>
      (await claims()) === open - done ? true : undefined,
    )
    started.items[done]?.()
  }
  for (const { id } of instances) expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED" })
  expect(most()).toBe(3)
})

test("C-107: with a part of its places taken, a runner asks for the rest only", async () => {
  const start = await useOneStep(engine, "partly")
  const { handler, started, most } = gate()
  run({ partly: handler }, { concurrency: 4 })
  await start()
  await started.reach(1)
  const more = await Promise.all(Array.from({ length: 10 }, () => start()))
  await started.reach(4)
  const other = await engine.client.poll({ workerId: "other", jobTypes: ["partly"], maxJobs: 100 })
  expect(other, "what the runner has no place for is left to others").toHaveLength(more.length - 3)
  for (const finish of started.items) finish()
  expect(most()).toBe(4)
})

test("C-T8, C-110: stop lets running handlers finish and reports them; nothing else is claimed", async () => {
  const start = await useOneStep(engine, "drained")
  const { handler, started } = gate()
  const runner = run({ drained: handler }, { concurrency: 2 })
  const first = await Promise.all([start(), start()])
  await started.reach(2)
  const later = await Promise.all([start(), start()])
  const stopped = runner.stop()
  for (const finish of started.items) finish()
  expect(await stopped).toEqual({ drained: true, unfinished: 0 })
  for (const { id } of first) expect(await engine.client.getInstance(id)).toMatchObject({ status: "COMPLETED" })
  const left = await engine.client.poll({ workerId: "other", jobTypes: ["drained"], maxJobs: 10 })
  // They were started at once, in any order.
  expect(left.map(({ instanceId }) => instanceId).sort()).toEqual(later.map(({ id }) => id).sort())
  for (const { attempt } of left) expect(attempt).toBe(1)
})

test("C-110: a stop that does not wait leaves the rest to the leases, and tells how much that is", async () => {
  const start = await useOneStep(engine, "abandoned")
  const stopped = new Tally<unknown>()
  const begun = new Tally<Job>()
  const runner = run({
    abandoned: (job, { signal }) =>
      new Promise((_, reject) => {
        begun.add(job)
        signal.addEventListener("abort", () => {
          stopped.add(signal.reason)
          reject(signal.reason)
        })
      }),
  })
  const { id } = await start()
  await begun.reach(1)
  expect(await runner.stop({ timeoutMs: 0 })).toEqual({ drained: false, unfinished: 1 })
  expect(await stopped.reach(1)).toMatchObject([{ name: "RunnerStoppedError" }])
  await engine.advanceClock(31_000)
  run({ abandoned: (job) => ({ attempt: job.attempt }) })
  expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 2 } })
})

test("C-104: under load reports and questions travel together: less than one request per job", async () => {
  const JOBS = 400
  const start = await useOneStep(engine, "busy")
  const instances = await Promise.all(Array.from({ length: JOBS }, () => start()))
  const before = await engine.metrics()
  run({ busy: () => ({ done: true }) }, { concurrency: 50 })
  for (const { id } of instances) await ended(engine.client, id)
  const after = await engine.metrics()
  const requests = (path: string) => {
    const labels = { method: "POST", path, status: 200 }
    return after.value(COUNT, labels) - before.value(COUNT, labels)
  }
  const COUNT = "http_requests_duration_seconds_count"
  expect(requests("/v1/jobs/exchange")).toBeGreaterThan(0)
  expect(after.value(COUNT, { path: "/v1/jobs/{jobId}/complete" })).toBe(0)
  expect((requests("/v1/jobs/exchange") + requests("/v1/jobs/poll")) / JOBS).toBeLessThan(0.5)
})
