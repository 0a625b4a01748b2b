// C-64..C-66, C-107, C-110: leases are kept while handlers run, and a lost one tells the handler to stop.
import { EngineClient, type Job } from "@millrace/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ManualClock } from "../../../../sdks/typescript/dist/test-support/manual-clock.js"
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

/** As a worker that asks again until there is something. */
const claim = (workerId: string, jobType: string): Promise<Job> =>
  eventually(`${workerId} has a job`, async () => {
    const [job] = await engine.client.poll({ workerId, jobTypes: [jobType], waitSeconds: 30 })
    return job
  })

test("C-66: heartbeats keep a job whose handler runs longer than its lease", async () => {
  const start = await useOneStep(engine, "slow")
  const clock = new ManualClock()
  const ran = new Tally<Job>()
  const over = new Tally<true>()
  const handlers = {
    slow: async (job: Job) => {
      ran.add(job)
      await over.reach(1)
      return { attempt: job.attempt }
    },
  }
  const keeper = run(handlers, { clock, leaseSeconds: 60 })
  const { id } = await start()
  await ran.reach(1)
  run(handlers, { leaseSeconds: 60 })
  const leaseUntil = async () => {
    const [row] = await engine.db.script(`select lease_until from millrace.jobs where instance_id = '${id}'`)
    return row?.lease_until as number
  }
  // Three leases long, a third of one at a time: a heartbeat comes in before the next third has gone.
  for (let third = 0; third < 9; third++) {
    const before = await leaseUntil()
    await engine.advanceClock(20_000)
    await clock.timerWithin(20_000)
    clock.advance(20_000)
    await eventually("the lease was kept", async () => ((await leaseUntil()) > before ? true : undefined))
  }
  over.add(true)
  expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 1 } })
  expect(ran.items).toHaveLength(1)
  expect(await auditCount(engine.client, id, "LEASE_EXPIRED")).toBe(0)
  expect(keeper.metricsText()).toContain("workflow_sdk_lock_conflicts_total 0")
})

test("C-64, C-66: a lease that was swept aborts the handler, whose failure is not reported; the job runs again", async () => {
  const start = await useOneStep(engine, "swept")
  // Heartbeats go out when the test says so: otherwise one of them could extend the lease before the sweep comes.
  const clock = new ManualClock()
  const begun = new Tally<Job>()
  const aborted = new Tally<unknown>()
  const runner = run(
    {
      swept: (job, { signal }) => {
        begun.add(job)
        if (job.attempt > 1) return { attempt: job.attempt }
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted.add(signal.reason)
            reject(new Error("stopped half way"))
          })
        })
      },
    },
    { clock, concurrency: 1 },
  )
  const { id } = await start()
  await begun.reach(1)
  await engine.advanceClock(31_000)
  await eventually("the lease was swept", async () =>
    (await auditCount(engine.client, id, "LEASE_EXPIRED")) === 1 ? true : undefined,
  )
  clock.advance(10_000)
  expect(await aborted.reach(1)).toMatchObject([{ name: "LeaseLostError" }])
  expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 2 } })
  expect(await auditCount(engine.client, id, "JOB_RETRIED")).toBe(0)
  expect(runner.metricsText()).toContain("workflow_sdk_lock_conflicts_total 1")
  const [first, second] = begun.items
  expect(second).toMatchObject({ id: first?.id, idempotencyKey: first?.idempotencyKey, attempt: 2 })
})

test("F19, C-66: the late result of a lost lease changes nothing once another worker has the job", async () => {
  const start = await useOneStep(engine, "late")
  const begun = new Tally<(by: string) => void>()
  // Its heartbeats stay away, so that none extends the lease before the sweep comes.
  const late = run(
    { late: () => new Promise((finish) => begun.add((by) => finish({ by }))) },
    { clock: new ManualClock(), concurrency: 1 },
  )
  const { id } = await start()
  const [finish] = await begun.reach(1)
  await engine.advanceClock(31_000)
  const job = await claim("other", "late")
  expect(job).toMatchObject({ instanceId: id, attempt: 2 })
  finish?.("late")
  await eventually("the late result was refused", async () =>
    late.metricsText().includes("workflow_sdk_lock_conflicts_total 1") ? true : undefined,
  )
  await engine.client.complete(job.id, {
    workerId: "other",
    leaseToken: job.leaseToken,
    variables: { by: "other" },
  })
  expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { by: "other" } })
})

test("F28, C-26: a waiting poll whose client has gone away claims nothing", async () => {
  const start = await useOneStep(engine, "unclaimed")
  const client = new EngineClient({ url: engine.url })
  const empty = async () => (await engine.metrics()).value("workflow_engine_job_empty_polls_total")
  const before = await empty()
  const leaves = new AbortController()
  const poll = client.poll({ workerId: "leaver", jobTypes: ["unclaimed"], waitSeconds: 30 }, { signal: leaves.signal })
  poll.catch(() => {})
  await eventually("the poll has found nothing and waits", async () => ((await empty()) > before ? true : undefined))
  leaves.abort(new Error("gone"))
  await expect(poll).rejects.toThrow("gone")
  const { id } = await start()
  expect(await claim("stayer", "unclaimed")).toMatchObject({ instanceId: id, attempt: 1 })
  client.close()
})
