// Leases that end on a real database: the sweep, what a late worker may still do, heartbeats, poison pills and run timeouts.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { parseToken } from "../../../model/jobs/reports.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdInstances } from "../../../test-support/hold-rows.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import { attemptRows, auditKinds, jobRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { readDepths } from "../../flow/read-depths.ts"
import { getAudit } from "../../instances/read-instances.ts"
import type { ClaimedJob } from "../claim/claimed-job.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { downtimeOf } from "./downtime.ts"
import { LeaseSweeper } from "./sweep-leases.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>
let other: ReturnType<typeof drive>

const LEASE_MS = 30_000

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  other = drive(engine.kernel, "w2")
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

let definitions = 0

/** A one-step workflow of its own for every test, so that none claims another's jobs. */
async function begin(step = {}): Promise<ClaimedJob> {
  const id = `one-${++definitions}`
  await engine.upload(workflow(id, [service("work", "end", { jobType: id, ...step }), end()]))
  await worker.start(id)
  return worker.claimOne(id, LEASE_MS)
}

const twice = { retryCount: 2 }

async function loseLease(): Promise<void> {
  await engine.advanceClock(LEASE_MS + 1)
  await sweepAll(engine.kernel)
}

describe("the sweep", () => {
  test("C-64: a lease that ended goes back to the queue, counted as lost, no retry spent", async () => {
    const job = await begin(twice)
    await loseLease()
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([
      { status: "ready", retries_left: 2, lost_leases: 1, lease_until: null },
    ])
    expect(await attemptRows(engine.db, job.instanceId)).toMatchObject([{ epoch: 1, outcome: "lost", worker_id: "w1" }])
    const lost = (await getAudit(engine.kernel, job.instanceId, 0)).find(({ kind }) => kind === "LEASE_EXPIRED")
    expect(lost).toMatchObject({ actor: "engine", detail: { stepId: "work", workerId: "w1", lostLeases: 1 } })
    const again = await other.claimOne(job.jobType)
    expect(again).toMatchObject({ id: job.id, retriesRemaining: 2, attempt: 2 })
    await other.complete(again)
  })

  test("S9, F23, D-32: a lease that ended while no engine ran goes back too, and is not counted as lost", async () => {
    const job = await begin(twice)
    await engine.advanceClock(LEASE_MS + 1)
    const { covers } = downtimeOf(engine.kernel)
    onTestFinished(() => void Object.assign(downtimeOf(engine.kernel), { covers }))
    downtimeOf(engine.kernel).covers = (leaseUntilMs) => leaseUntilMs === job.lockExpiresAt
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([
      { status: "ready", retries_left: 2, lost_leases: 0, lease_until: null },
    ])
    await other.complete(await other.claimOne(job.jobType))
  })

  test("C-64, S6: a lease that has not ended is left alone, to the millisecond", async () => {
    const job = await begin()
    await engine.db.script(
      `update millrace.jobs set lease_until = millrace.clock() + interval '1 hour' where instance_id = '${job.instanceId}'`,
    )
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased" }])
    await engine.advanceClock(3_600_000)
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "ready" }])
    await worker.complete(await worker.claimOne(job.jobType))
  })

  test("C-64: a lease whose instance another transaction holds waits, and keeps no other lease", async () => {
    const [held, free] = [await begin(twice), await begin(twice)]
    const letGo = await holdInstances(engine.db, [held.instanceId])
    await loseLease()
    expect(await jobRows(engine.db, held.instanceId)).toMatchObject([{ status: "leased", lost_leases: 0 }])
    expect(await jobRows(engine.db, free.instanceId)).toMatchObject([{ status: "ready", lost_leases: 1 }])
    await letGo()
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, held.instanceId)).toMatchObject([{ status: "ready", lost_leases: 1 }])
  })

  test("C-64, L1: more leases than one look lists are held, and the one that ended after them goes back all the same", async () => {
    const held = await Promise.all(Array.from({ length: 501 }, () => begin(twice)))
    await engine.advanceClock(1)
    const free = await begin(twice)
    const letGo = await holdInstances(engine.db, held.map(({ instanceId }) => instanceId).sort())
    await loseLease()
    expect(await jobRows(engine.db, free.instanceId)).toMatchObject([{ status: "ready", lost_leases: 1 }])
    await letGo()
    await sweepAll(engine.kernel)
    const [{ instanceId }] = held as [ClaimedJob]
    expect(await jobRows(engine.db, instanceId)).toMatchObject([{ status: "ready", lost_leases: 1 }])
  })

  test("F06, C-64: two sweeps at once take a lease back once", async () => {
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    await Promise.all(Array.from({ length: 8 }, () => sweepAll(engine.kernel)))
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "ready", lost_leases: 1 }])
    await worker.complete(await worker.claimOne(job.jobType))
  })

  test("F06, C-64: a lease is counted when its end is committed: not one that was extended, not one rolled back", async () => {
    const timeouts = async () => (await engine.kernel.metrics.jobTimeouts.get()).values[0]?.value ?? 0
    const before = await timeouts()
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    const sweeper = new LeaseSweeper(engine.kernel)
    await expect(sweeper.sweep(() => Promise.reject(new Error("the term is over")))).rejects.toThrow("the term is over")
    await sweeper.sweep(async () => {
      await heartbeatJob(engine.kernel, { jobId: job.id, workerId: "w1", token: undefined })
    })
    expect(await timeouts()).toBe(before)
    await loseLease()
    expect(await timeouts()).toBe(before + 1)
    await worker.complete(await worker.claimOne(job.jobType))
  })

  test("C-65: a completion after the end of the lease counts once, before the sweep and after it", async () => {
    const early = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    expect(await worker.complete(early, { n: 1 })).toBe("accepted")
    const late = await begin()
    await loseLease()
    expect(await worker.complete(late, { n: 1 })).toBe("accepted")
    expect(await worker.complete(late, { n: 2 })).toBe("accepted")
    for (const { instanceId } of [early, late])
      expect(await worker.get(instanceId)).toMatchObject({ status: "COMPLETED", variables: { n: 1 } })
    expect(await worker.claim([early.jobType, late.jobType])).toEqual([])
  })

  test("C-65, C-66: a failure after the sweep counts until the next claim, and its repeats with it", async () => {
    const job = await begin(twice)
    await loseLease()
    expect(await worker.fail(job, "late but true")).toBe("accepted")
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([
      { status: "ready", retries_left: 1, lost_leases: 1, nonce: null },
    ])
    expect(await worker.fail(job)).toBe("accepted")
    expect(await worker.complete(job)).toBe("stale")
    const next = await other.claimOne(job.jobType)
    expect(await worker.fail(job)).toBe("accepted")
    expect(await attemptRows(engine.db, job.instanceId)).toMatchObject([{ epoch: 1, outcome: "failed" }])
    expect(await other.complete(next)).toBe("accepted")
  })

  test("F19, C-66, C-T4: after the sweep and the next claim the first worker's word is stale, by whoever it was claimed", async () => {
    for (const next of [worker, other]) {
      const job = await begin()
      await loseLease()
      const second = await next.claimOne(job.jobType)
      expect(await worker.complete(job)).toBe("stale")
      expect(await worker.fail(job)).toBe("stale")
      expect(await next.complete(second)).toBe("accepted")
    }
  })

  test("S9: a job that keeps losing its workers fails for good after 1 + retries + 3 claims at most", async () => {
    const job = await begin(twice)
    await worker.fail(job, "boom", true, 0)
    let claims = 1
    for (;;) {
      const [next] = await worker.claim([job.jobType], 1, LEASE_MS)
      if (!next) break
      claims += 1
      await loseLease()
    }
    expect(claims).toBeLessThanOrEqual(1 + 2 + 3)
    expect(await worker.get(job.instanceId)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("poison pill"),
    })
    const kinds = await auditKinds(engine.db, job.instanceId)
    expect(kinds.filter((kind) => kind === "LEASE_EXPIRED")).toHaveLength(4)
    expect(kinds.slice(-2)).toEqual(["JOB_FAILED", "INSTANCE_FAILED"])
  })

  test("C-128: timeout.run ends the attempt however the worker beats, and spends a retry", async () => {
    const job = await begin({ retryCount: 1, timeout: { run: "PT10S" } })
    await engine.advanceClock(6_000)
    const until = await heartbeatJob(engine.kernel, beatOf(job))
    expect(until).toBe(job.lockExpiresAt)
    await engine.advanceClock(6_000)
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([
      { status: "ready", retries_left: 0, lost_leases: 0, nonce: null },
    ])
    expect(await attemptRows(engine.db, job.instanceId)).toMatchObject([{ outcome: "timed-out" }])
    expect(await worker.complete(job)).toBe("stale")
    await worker.claimOne(job.jobType)
    await engine.advanceClock(10_001)
    await sweepAll(engine.kernel)
    expect(await worker.get(job.instanceId)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("timeout.run"),
    })
  })
})

const beatOf = (job: ClaimedJob, more = {}) => ({
  jobId: job.id,
  workerId: "w1",
  token: parseToken(job.leaseToken),
  leaseMs: LEASE_MS,
  ...more,
})

describe("a heartbeat", () => {
  const lost = { code: "lease-lost" }
  const beat = (job: ClaimedJob, more = {}) => heartbeatJob(engine.kernel, beatOf(job, more))

  test("extends the lease from now on, with the token or the worker's name", async () => {
    const job = await begin()
    await engine.advanceClock(20_000)
    const until = await beat(job)
    expect(until).toBeGreaterThanOrEqual(job.lockExpiresAt + 20_000)
    await engine.advanceClock(20_000)
    expect(await beat(job, { token: undefined, leaseMs: 60_000 })).toBeGreaterThanOrEqual(until + 50_000)
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased" }])
    await worker.complete(job)
  })

  test("extends a lease that ended and that nobody has swept; after the sweep it is lost", async () => {
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 5_000)
    await beat(job)
    await sweepAll(engine.kernel)
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased", lost_leases: 0 }])
    await loseLease()
    await expect(beat(job)).rejects.toMatchObject(lost)
    expect(await worker.complete(job)).toBe("accepted")
    await expect(beat(job)).rejects.toMatchObject(lost)
  })

  test("is refused for another worker, another token, another attempt and an unknown job", async () => {
    const job = await begin()
    const nonce = "00000000-0000-0000-0000-000000000000"
    const { token } = beatOf(job)
    await engine.advanceClock(1_000)
    await expect(beat(job, { workerId: "w2", token: undefined })).rejects.toMatchObject(lost)
    await expect(beat(job, { token: { epoch: 1, nonce } })).rejects.toMatchObject(lost)
    await expect(beat(job, { token: { ...token, epoch: 2 } })).rejects.toMatchObject(lost)
    await expect(beat(job, { jobId: "nonsense" })).rejects.toMatchObject(lost)
    // Refused, and nothing was extended behind its back.
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ lease_until: job.lockExpiresAt }])
    await loseLease()
    const second = await other.claimOne(job.jobType)
    await expect(beat(job)).rejects.toMatchObject(lost)
    await expect(beat(job, { token: undefined })).rejects.toMatchObject(lost)
    await other.complete(second)
  })

  test("of many jobs at once are answered each by its own", async () => {
    const jobs = await Promise.all(Array.from({ length: 10 }, () => begin()))
    const beats = await Promise.allSettled(
      jobs.map((job, n) => beat(job, n % 2 ? { workerId: "x", token: undefined } : {})),
    )
    expect(beats.map(({ status }) => status)).toEqual(jobs.map((_, n) => (n % 2 ? "rejected" : "fulfilled")))
    await Promise.all(jobs.map((job) => worker.complete(job)))
  })
})

test("S20: the job of a step that has ended is counted out of its queue", async () => {
  const live = async () => [...(await readDepths(engine.kernel)).queues.values()].reduce((all, one) => all + one, 0)
  const before = await live()
  const jobs = [await begin(), await begin()] as const
  expect(await live()).toBe(before + 2)
  await worker.complete(jobs[0])
  await worker.fail(jobs[1], "no", false)
  expect(await live()).toBe(before)
})

test("C-64, L2, F49: a lease that ended before the mark of the last sweep is found by the next full one", async () => {
  const sweeper = new LeaseSweeper(engine.kernel)
  while (await sweeper.sweep(noTerm));
  const job = await begin()
  // As after a step back of the database's clock.
  await engine.db.script(
    `update millrace.jobs set lease_until = lease_until - interval '10 minutes' where instance_id = '${job.instanceId}'`,
  )
  expect(await sweeper.sweep(noTerm)).toBe(false)
  expect(sweeper.sweptUntilMs).toBeGreaterThan(0)
  await engine.advanceClock(61_000)
  expect(sweeper.sweptUntilMs).toBe(0)
  expect(await sweeper.sweep(noTerm)).toBe(true)
  expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "ready", lease_until: null }])
})
