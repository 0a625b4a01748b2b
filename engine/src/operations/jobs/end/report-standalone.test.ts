// Reports on standalone jobs, and leases of theirs that end, on a real database: which one counts, and what the others are told.
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { parseToken } from "../../../model/jobs/reports.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdJobs } from "../../../test-support/hold-rows.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import { waitingForLocks } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { readDepths } from "../../flow/read-depths.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import type { ClaimedJob } from "../claim/claimed-job.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"
import { getJob } from "../read-jobs.ts"
import { cancelJob } from "./cancel-job.ts"
import type { Report } from "./report.ts"
import { reportJobs } from "./report-jobs.ts"
import { LeaseSweeper } from "./sweep-leases.ts"

const LEASE_MS = 10_000
const OTHER_BITS = "00000000-0000-4000-8000-000000000000"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

let types = 0

/** A job type of its own for every test, so that none claims another's jobs. */
async function begin(more: object = {}): Promise<ClaimedJob> {
  const jobType = `alone-${++types}`
  await enqueueJob(engine.kernel, { jobType, payload: {}, whenFull: "refuse", actor: "test", ...more })
  return worker.claimOne(jobType, LEASE_MS)
}

/** The same job in its next delivery. */
async function loseAndClaimAgain({ jobType }: ClaimedJob): Promise<ClaimedJob> {
  await engine.advanceClock(LEASE_MS + 1)
  await sweepAll(engine.kernel)
  return worker.claimOne(jobType, LEASE_MS)
}

const completion = (job: ClaimedJob, token = parseToken(job.leaseToken), result: number = job.attempt): Report => ({
  verb: "complete",
  jobId: job.id,
  workerId: "w1",
  token,
  actor: "w1",
  variables: { result },
})

const failure = (job: ClaimedJob): Report => ({
  verb: "fail",
  jobId: job.id,
  workerId: "w1",
  token: parseToken(job.leaseToken),
  actor: "w1",
  message: "boom",
  retryable: true,
  retryAfterMs: 1_000,
})

const report = (...reports: Report[]) => reportJobs(engine.kernel, reports)
const rowOf = async ({ id }: ClaimedJob) => {
  const [row] = await engine.db.script(
    `select status, retries_left, lost_leases, epoch, nonce from millrace.jobs where instance_id = '${id}'`,
  )
  return row
}

describe("a completion", () => {
  test("S7, F38: counts by its epoch and by its bits, and is stale where either is another one's", async () => {
    const job = await begin()
    const token = parseToken(job.leaseToken) as NonNullable<ReturnType<typeof parseToken>>
    expect(await report(completion(job, { ...token, nonce: OTHER_BITS }))).toEqual(["stale"])
    expect(await report(completion(job, { ...token, epoch: token.epoch + 1 }))).toEqual(["stale"])
    expect(await rowOf(job)).toMatchObject({ status: "leased", nonce: token.nonce })
    expect(await report(completion(job, token))).toEqual(["accepted"])
  })

  test("C-66: of an earlier delivery is stale, also in one batch with the one that counts", async () => {
    const first = await begin()
    const second = await loseAndClaimAgain(first)
    expect(await report(completion(first), completion(second))).toEqual(["stale", "accepted"])
    expect(await getJob(engine.kernel, second.id)).toMatchObject({ status: "COMPLETED", result: '{"result":2}' })
  })

  test("C-69: sent twice in one batch is accepted twice and written once", async () => {
    const job = await begin()
    expect(await report(completion(job), completion(job))).toEqual(["accepted", "accepted"])
    expect(await engine.db.script(`select from millrace.history where instance_id = '${job.id}'`)).toHaveLength(1)
  })
})

test("C-66: a report is stale, and not about a job that never was, where the job ends while it is judged", async () => {
  const job = await begin()
  const token = parseToken(job.leaseToken) as NonNullable<ReturnType<typeof parseToken>>
  const { db } = engine.kernel
  const query = db.query.bind(db)
  const looks = vi.spyOn(db, "query").mockImplementation(async (statement, values) => {
    if (statement.name.endsWith("findJob")) await report(completion(job, token))
    return query(statement, values)
  })
  onTestFinished(() => looks.mockRestore())
  expect(await report(completion(job, { ...token, nonce: OTHER_BITS }))).toEqual(["stale"])
})

describe("a failure", () => {
  test("C-69: that may be retried, and one that may not, in one batch: the first counts, the other one is stale", async () => {
    const job = await begin()
    const final = { ...failure(job), retryable: false } as Report
    expect(await report(failure(job), final)).toEqual(["accepted", "stale"])
    expect(await rowOf(job)).toMatchObject({ status: "held", retries_left: 4 })
  })

  test("S7: waits for a transaction that has the job in hand, and goes by what that one leaves", async () => {
    const job = await begin()
    const holder = await engine.db.dedicated()
    await holder.query("begin")
    await holder.query(`update millrace.jobs set epoch = 2, nonce = gen_random_uuid() where instance_id = '${job.id}'`)
    const verdicts = report(failure(job))
    await expect.poll(() => waitingForLocks(engine.db)).toBe(1)
    await holder.query("commit")
    holder.release()
    expect(await verdicts).toEqual(["stale"])
    expect(await rowOf(job)).toMatchObject({ status: "leased", epoch: 2, retries_left: 5 })
  })

  test("W-03: has the last word of its worker, also where a completion without a token follows", async () => {
    const job = await begin()
    await report(failure(job))
    expect(await report({ ...completion(job), token: undefined })).toEqual(["stale"])
    expect(await rowOf(job)).toMatchObject({ status: "held" })
  })

  test("its delay is over to the millisecond, and then its job is behind those that came meanwhile", async () => {
    const job = await begin()
    await report(failure(job))
    await engine.advanceClock(999)
    await releaseJobs(engine.kernel, noTerm)
    expect(await worker.claim([job.jobType])).toEqual([])
    const younger = await enqueueJob(engine.kernel, {
      jobType: job.jobType,
      payload: {},
      whenFull: "refuse",
      actor: "test",
    })
    await engine.advanceClock(1)
    await releaseJobs(engine.kernel, noTerm)
    const claimed = await worker.claim([job.jobType])
    expect(claimed.map(({ id }) => id)).toEqual([younger.job.id, job.id])
  })

  test("without a delay its job goes behind those that wait", async () => {
    const job = await begin()
    const { job: waiting } = await enqueueJob(engine.kernel, {
      jobType: job.jobType,
      payload: {},
      whenFull: "refuse",
      actor: "test",
    })
    await report({ ...failure(job), retryAfterMs: 0 } as Report)
    expect((await worker.claim([job.jobType])).map(({ id }) => id)).toEqual([waiting.id, job.id])
  })

  test("C-69: sent four times, at once and one after the other, spends one retry", async () => {
    const job = await begin()
    expect(await report(failure(job), failure(job))).toEqual(["accepted", "accepted"])
    expect(await report(failure(job))).toEqual(["accepted"])
    expect(await report(failure(job))).toEqual(["accepted"])
    expect(await rowOf(job)).toMatchObject({ status: "held", retries_left: 4 })
  })

  test("C-66: uses its token up; the next delivery has a token of its own", async () => {
    const job = await begin()
    await report(failure(job))
    expect(await rowOf(job)).toMatchObject({ nonce: null })
    expect(await report(completion(job))).toEqual(["stale"])
    await engine.advanceClock(1_001)
    await releaseJobs(engine.kernel, noTerm)
    const next = await worker.claimOne(job.jobType, LEASE_MS)
    expect(next.leaseToken).not.toBe(job.leaseToken)
    expect(await report(completion(job), completion(next))).toEqual(["stale", "accepted"])
  })

  test("C-65: after the sweep counts until the next claim, and what is known of the attempt is the report", async () => {
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    await sweepAll(engine.kernel)
    expect(await report(failure(job))).toEqual(["accepted"])
    expect(await rowOf(job)).toMatchObject({ retries_left: 4, lost_leases: 1, nonce: null })
    const attempts = await engine.db.script(`select outcome from millrace.attempts where instance_id = '${job.id}'`)
    expect(attempts).toEqual([{ outcome: "failed" }])
  })
})

test.each([{}, { fairKey: "tenant" }])("S6: each delivery has the next number and bits of its own %j", async (more) => {
  const first = await begin(more)
  const second = await loseAndClaimAgain(first)
  expect([first.attempt, second.attempt]).toEqual([1, 2])
  expect(await rowOf(second)).toMatchObject({ epoch: 2 })
  expect(await report(completion(first))).toEqual(["stale"])
  expect(await report(completion(second))).toEqual(["accepted"])
})

test.each([{}, { fairKey: "tenant" }])("C-128: no lease is longer than the attempt may run %j", async (more) => {
  const [now] = await engine.db.script("select millrace.clock() as now")
  const job = await begin({ ...more, timeoutMs: 2_000 })
  expect(job.lockExpiresAt).toBe((now?.now as number) + 2_000)
})

test("a result that is too large fails its job for good", async () => {
  const job = await begin()
  const variables = { text: "x".repeat(engine.kernel.settings.maxWriteBytes) }
  await report({ ...completion(job), variables } as Report)
  expect(await getJob(engine.kernel, job.id)).toMatchObject({
    status: "FAILED",
    error: expect.stringContaining("the result is too large"),
  })
})

test("S20: a job that is completed, dead or cancelled is counted out of its priority", async () => {
  const depth = async () => (await readDepths(engine.kernel)).priorities.normal.depth
  const before = await depth()
  const jobs = [await begin(), await begin(), await begin()] as const
  expect(await depth()).toBe(before + 3)
  await report(completion(jobs[0]))
  expect(await depth()).toBe(before + 2)
  await report({ ...failure(jobs[1]), retryable: false } as Report)
  expect(await depth()).toBe(before + 1)
  await cancelJob(engine.kernel, { id: jobs[2].id, actor: "test" })
  expect(await depth()).toBe(before)
})

describe("the sweep", () => {
  test("L2: leaves a job alone that a caller's transaction holds, and takes the other leases back", async () => {
    const [held, free] = [await begin(), await begin()]
    const letGo = await holdJobs(engine.db, [held.id])
    onTestFinished(letGo)
    await engine.advanceClock(LEASE_MS + 1)
    const sweeper = new LeaseSweeper(engine.kernel)
    // A sweep that waits for the lock fails here instead of waiting for ever.
    while (await sweeper.sweep(setLockTimeout));
    expect([(await rowOf(held))?.status, (await rowOf(free))?.status]).toEqual(["leased", "ready"])
    await letGo()
    await sweepAll(engine.kernel)
    expect(await rowOf(held)).toMatchObject({ status: "ready", lost_leases: 1 })
  })

  /** The job changes between the list of ended leases and the lock: the guard is asked in between. */
  const sweepAfter = (change: () => Promise<unknown>) =>
    new LeaseSweeper(engine.kernel).sweep(async () => {
      await change()
    })

  test("S6: leaves a lease alone that was extended after it was listed", async () => {
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    await sweepAfter(() => heartbeatJob(engine.kernel, { jobId: job.id, workerId: "w1", token: undefined }))
    expect(await rowOf(job)).toMatchObject({ status: "leased", lost_leases: 0 })
    expect(await report(completion(job))).toEqual(["accepted"])
  })

  test("S6: leaves the next delivery alone, also where its lease has ended meanwhile", async () => {
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    await sweepAfter(async () => {
      await loseAndClaimAgain(job)
      await engine.advanceClock(LEASE_MS + 1)
    })
    expect(await rowOf(job)).toMatchObject({ status: "leased", lost_leases: 1, epoch: 2 })
  })

  test("counts a lease when its end is committed: not one that was extended, not one that was rolled back", async () => {
    const timeouts = async () => (await engine.kernel.metrics.jobTimeouts.get()).values[0]?.value ?? 0
    await engine.advanceClock(LEASE_MS + 1)
    await sweepAll(engine.kernel)
    const before = await timeouts()
    const job = await begin()
    await engine.advanceClock(LEASE_MS + 1)
    await expect(sweepAfter(() => Promise.reject(new Error("the term is over")))).rejects.toThrow("the term is over")
    await sweepAfter(() => heartbeatJob(engine.kernel, { jobId: job.id, workerId: "w1", token: undefined }))
    expect(await timeouts()).toBe(before)
    await engine.advanceClock(LEASE_MS + 1)
    await sweepAll(engine.kernel)
    expect(await timeouts()).toBe(before + 1)
  })
})

test("a delay that is no number is a bug that is told: the job is not held for ever", async () => {
  const job = await begin()
  await expect(report({ ...failure(job), retryAfterMs: Number.NaN } as Report)).rejects.toThrow("assertion failed")
  expect(await rowOf(job)).toMatchObject({ status: "leased" })
  expect(await report(failure(job))).toEqual(["accepted"])
})
