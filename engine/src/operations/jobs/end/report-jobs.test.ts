// Reports on a real database: which one counts, what its repeats are told, and that job, step and instance agree.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseToken } from "../../../model/jobs/reports.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import { attemptRows, auditKinds, jobRows, liveRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import { cancelInstance } from "../../instances/change-instance.ts"
import { getHistory } from "../../instances/read-history.ts"
import { retryInstance } from "../../instances/retry-instance.ts"
import type { ClaimedJob } from "../claim/claimed-job.ts"
import type { Report } from "./report.ts"
import { reportJob, reportJobs } from "./report-jobs.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

let definitions = 0

/** A one-step workflow of its own for every test, so that none claims another's jobs. */
async function define(step = {}): Promise<string> {
  const id = `one-${++definitions}`
  await engine.upload(workflow(id, [service("work", "end", { jobType: id, ...step }), end()]))
  return id
}

async function begin(step = {}): Promise<ClaimedJob> {
  return startAndClaim(await define(step))
}

async function startAndClaim(id: string): Promise<ClaimedJob> {
  await worker.start(id)
  return worker.claimOne(id)
}

const twice = { retryCount: 2 }

const completion = (job: ClaimedJob, more = {}): Report => ({
  verb: "complete",
  jobId: job.id,
  workerId: "w1",
  token: parseToken(job.leaseToken),
  actor: "w1",
  variables: undefined,
  ...more,
})

const failure = (job: ClaimedJob, more = {}): Report => ({
  verb: "fail",
  jobId: job.id,
  workerId: "w1",
  token: parseToken(job.leaseToken),
  actor: "w1",
  message: "boom",
  retryable: true,
  retryAfterMs: undefined,
  ...more,
})

const report = (report: Report) => reportJob(engine.kernel, report)
const inOrder = (first: Report["verb"], job: ClaimedJob): Report[] =>
  first === "complete" ? [completion(job), failure(job)] : [failure(job), completion(job)]
const noToken = { token: undefined }

describe("a report that counts", () => {
  test("F05, F31, C-27, C-69: a completion and its repeat are both accepted, and the second changes nothing", async () => {
    const job = await begin()
    expect(await report(completion(job, { variables: { n: 1 } }))).toBe("accepted")
    const audit = await auditKinds(engine.db, job.instanceId)
    expect(await report(completion(job, { variables: { n: 2 } }))).toBe("accepted")
    expect((await worker.get(job.instanceId)).variables).toEqual({ n: 1 })
    expect(await auditKinds(engine.db, job.instanceId)).toEqual(audit)
  })

  test("C-69: a completion sent twice in one breath merges once", async () => {
    const job = await begin()
    const both = [completion(job, { variables: { n: 1 } }), completion(job, { variables: { n: 2 } })]
    expect(await reportJobs(engine.kernel, both)).toEqual(["accepted", "accepted"])
    expect(await worker.get(job.instanceId)).toMatchObject({ status: "COMPLETED", variables: { n: 1 } })
    expect(await getHistory(engine.kernel, job.instanceId)).toHaveLength(2)
  })

  test("F66, C-69: complete and fail at once, exactly one wins and instance, job and step agree", async () => {
    for (const first of ["complete", "fail"] as const) {
      const job = await begin()
      expect(await reportJobs(engine.kernel, inOrder(first, job))).toEqual(["accepted", "stale"])
      const status = first === "complete" ? "COMPLETED" : "FAILED"
      expect((await worker.get(job.instanceId)).status).toBe(status)
      expect((await getHistory(engine.kernel, job.instanceId))[0]).toMatchObject({ status, stepId: "work" })
      expect(await liveRows(engine.db, job.instanceId)).toMatchObject({ instances: 0, jobs: 0 })
    }
  })

  test("C-69: complete and fail at once on an instance that goes on, the loser is told so", async () => {
    await engine.upload(
      workflow("goes-on", [
        service("goes-on", "then", twice),
        { id: "then", name: "then", type: "WAIT", nextStep: "end" },
        end(),
      ]),
    )
    const completed = await startAndClaim("goes-on")
    expect(await reportJobs(engine.kernel, inOrder("complete", completed))).toEqual(["accepted", "stale"])
    expect((await worker.get(completed.instanceId)).currentStepIds).toEqual(["then"])
    const failed = await startAndClaim("goes-on")
    expect(await reportJobs(engine.kernel, inOrder("fail", failed))).toEqual(["accepted", "stale"])
    expect(await jobRows(engine.db, failed.instanceId)).toMatchObject([{ status: "ready", retries_left: 1 }])
  })

  test("C-69, C-T4: 8 parallel fails spend one retry", async () => {
    const job = await begin(twice)
    const outcomes = await reportJobs(
      engine.kernel,
      Array.from({ length: 8 }, () => failure(job)),
    )
    expect(outcomes).toEqual(Array(8).fill("accepted"))
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "ready", retries_left: 1, nonce: null }])
    expect(await attemptRows(engine.db, job.instanceId)).toHaveLength(1)
  })

  test("C-69: 8 parallel fails of the last attempt fail the instance once", async () => {
    const job = await begin()
    const outcomes = await reportJobs(
      engine.kernel,
      Array.from({ length: 8 }, () => failure(job)),
    )
    expect(outcomes).toEqual(Array(8).fill("accepted"))
    const kinds = await auditKinds(engine.db, job.instanceId)
    expect(kinds.filter((kind) => kind === "INSTANCE_FAILED")).toHaveLength(1)
  })

  test("C-55: output that does not fit its schema fails job, step and instance, whatever retries are left", async () => {
    const outputSchema = { properties: { total: { type: "integer" } }, required: ["total"] }
    const id = await define({ retryCount: 5, outputSchema })
    const job = await startAndClaim(id)
    expect(await report(completion(job, { variables: { total: "many" } }))).toBe("accepted")
    expect(await worker.get(job.instanceId)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("$.variables.total"),
      variables: {},
    })
    expect((await getHistory(engine.kernel, job.instanceId))[0]?.status).toBe("FAILED")
    // It was a completion that was accepted, though it failed the step: repeating it is fine, a failure with its token is not.
    expect(await report(completion(job, { variables: { total: "many" } }))).toBe("accepted")
    expect(await worker.fail(job)).toBe("stale")
    const good = await startAndClaim(id)
    expect(await report(completion(good, { variables: { total: 3 } }))).toBe("accepted")
    expect((await worker.get(good.instanceId)).status).toBe("COMPLETED")
  })
})

describe("a report that repeats or comes too late", () => {
  test("F31: the other verb with a used token is stale and changes nothing", async () => {
    const done = await begin()
    await report(completion(done))
    expect(await report(failure(done))).toBe("stale")
    expect((await worker.get(done.instanceId)).status).toBe("COMPLETED")
    const retried = await begin(twice)
    await report(failure(retried))
    expect(await report(completion(retried))).toBe("stale")
    expect(await jobRows(engine.db, retried.instanceId)).toMatchObject([{ status: "ready", retries_left: 1 }])
    const failed = await begin()
    await report(failure(failed))
    expect(await report(completion(failed))).toBe("stale")
    expect(await report(failure(failed))).toBe("accepted")
    expect((await worker.get(failed.instanceId)).status).toBe("FAILED")
  })

  test("the repeat of an accepted fail is accepted, also after the job was claimed again", async () => {
    const job = await begin(twice)
    await report(failure(job))
    expect(await report(failure(job))).toBe("accepted")
    const second = await worker.claimOne(job.jobType)
    expect(second.id).toBe(job.id)
    expect(await report(failure(job))).toBe("accepted")
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased", retries_left: 1, epoch: 2 }])
    await report(completion(second))
    expect(await report(failure(job))).toBe("accepted")
    expect((await worker.get(job.instanceId)).status).toBe("COMPLETED")
  })

  test("C-66, S7: after the next claim every earlier token is stale, and the job keeps its id", async () => {
    const job = await begin()
    await engine.advanceClock(31_000)
    await sweepAll(engine.kernel)
    const second = await drive(engine.kernel, "w2").claimOne(job.jobType)
    expect(second.id).toBe(job.id)
    expect(second.idempotencyKey).toBe(job.idempotencyKey)
    expect(second.leaseToken).not.toBe(job.leaseToken)
    expect(await reportJobs(engine.kernel, [completion(job), failure(job)])).toEqual(["stale", "stale"])
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased", epoch: 2, worker_id: "w2" }])
    expect(await report(completion(second))).toBe("accepted")
    expect(await report(completion(job))).toBe("stale")
  })

  test("S7, F38: a token of the right epoch with other bits is stale", async () => {
    const job = await begin()
    const forged = parseToken(`1.${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`)
    expect(await report(completion(job, { token: forged }))).toBe("stale")
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased" }])
    expect(await report(completion(job))).toBe("accepted")
    expect(await report(completion(job, { token: forged }))).toBe("stale")
  })

  test("without a token the last holder counts, others change nothing", async () => {
    const job = await begin(twice)
    expect(await report(completion(job, { ...noToken, workerId: "w2" }))).toBe("stale")
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased", worker_id: "w1" }])
    expect(await report(failure(job, noToken))).toBe("accepted")
    expect(await report(failure(job, noToken))).toBe("accepted")
    expect(await report(completion(job, noToken))).toBe("stale")
    const second = await drive(engine.kernel, "w2").claimOne(job.jobType)
    expect(await report(completion(job, noToken))).toBe("stale")
    expect(await report(completion(second, { ...noToken, workerId: "w2" }))).toBe("accepted")
    expect(await report(completion(second, { ...noToken, workerId: "w2" }))).toBe("accepted")
    expect(await report(completion(second, { ...noToken, workerId: "w3" }))).toBe("stale")
    expect((await worker.get(job.instanceId)).status).toBe("COMPLETED")
  })

  test("F31, C-66, C-T4: after every terminal status a report changes nothing", async () => {
    const job = await begin()
    await cancelInstance(engine.kernel, { instanceId: job.instanceId, reason: "x", actor: "local" })
    const audit = await auditKinds(engine.db, job.instanceId)
    expect(await reportJobs(engine.kernel, [completion(job), failure(job)])).toEqual(["stale", "stale"])
    expect(await report(completion(job, noToken))).toBe("stale")
    expect(await auditKinds(engine.db, job.instanceId)).toEqual(audit)
  })

  test("C-T4: after a manual retry the old job is another one, and stays as it ended", async () => {
    const job = await begin()
    await report(failure(job))
    const { instanceId } = job
    await retryInstance(engine.kernel, { instanceId, stepId: "work", variables: undefined, actor: "local" })
    expect(await report(completion(job))).toBe("stale")
    expect(await report(failure(job))).toBe("accepted")
    const fresh = await worker.claimOne(job.jobType)
    expect(fresh.id).not.toBe(job.id)
    expect(await report(completion(fresh))).toBe("accepted")
    expect((await worker.get(instanceId)).status).toBe("COMPLETED")
  })

  test("C-27: jobs that nobody made are unknown, whatever their id looks like", async () => {
    const job = await begin()
    const ids = [
      "01ARZ3NDEKTSV4RRFFQ69G5FAV-0001",
      job.id.replace(/....$/, "0ZZZ"),
      "",
      "x".repeat(10_000),
      `${job.id}x`,
      job.instanceId,
    ]
    for (const jobId of ids) expect(await report({ ...completion(job), jobId })).toBe("unknown")
    expect(await report({ ...completion(job), ...noToken, jobId: ids[0] as string })).toBe("unknown")
    expect(await report(completion(job))).toBe("accepted")
    expect(await report({ ...completion(job), jobId: ids[1] as string })).toBe("unknown")
  })
})

describe("retries", () => {
  const policy = (jitter: string) => ({
    retry: { retries: 3, base: "PT10S", factor: 2, cap: "PT15S", jitter },
  })

  async function delayOf(job: ClaimedJob): Promise<number> {
    const [row] = await engine.db.script(
      `select extract(epoch from visible_at - millrace.clock()) as delay, status from millrace.jobs where instance_id = '${job.instanceId}'`,
    )
    expect(row?.status).toBe("held")
    return Number(row?.delay)
  }

  test("C-67: a policy holds the job until it is due; the releaser then puts it at the end of its queue", async () => {
    const job = await begin(policy("none"))
    await report(failure(job))
    expect(await delayOf(job)).toBeGreaterThan(8)
    expect(await delayOf(job)).toBeLessThanOrEqual(10)
    await releaseJobs(engine.kernel, noTerm)
    expect(await worker.claim([job.jobType])).toEqual([])
    await engine.advanceClock(10_000)
    const younger = await worker.start(job.definitionId)
    await releaseJobs(engine.kernel, noTerm)
    const claimed = await worker.claim([job.jobType])
    expect(claimed.map((job) => job.instanceId)).toEqual([younger, job.instanceId])
    // The second retry would wait 20 s, but for the cap.
    await report(failure(claimed[1] as ClaimedJob))
    expect(await delayOf(job)).toBeGreaterThan(13)
    expect(await delayOf(job)).toBeLessThanOrEqual(15)
  })

  test("C-67: jitter takes any part of the delay, or the upper half of it", async () => {
    for (const [jitter, lowest] of [
      ["full", 0],
      ["partial", 5],
    ] as const) {
      const id = await define(policy(jitter))
      const jobs = await Promise.all(Array.from({ length: 20 }, () => startAndClaim(id)))
      await reportJobs(
        engine.kernel,
        jobs.map((job) => failure(job)),
      )
      const [row] = await engine.db.script(`select min(d) as least, max(d) as most, count(distinct d) as kinds from (
        select (detail->>'delayMs')::integer / 1000.0 as d from millrace.trail
        where kind = 'JOB_RETRIED' and instance_id in (${jobs.map((job) => `'${job.instanceId}'`)})) x`)
      expect(Number(row?.least)).toBeGreaterThanOrEqual(lowest)
      expect(Number(row?.most)).toBeLessThanOrEqual(10)
      expect(row?.kinds).toBeGreaterThan(10)
    }
  })

  test("C-67: a worker's retryAfter wins over the policy, and zero means at once", async () => {
    const job = await begin(twice)
    await report(failure(job, { retryAfterMs: 60_000 }))
    expect(await delayOf(job)).toBeGreaterThan(58)
    await engine.advanceClock(60_000)
    await releaseJobs(engine.kernel, noTerm)
    const second = await worker.claimOne(job.jobType)
    await report(failure(second, { retryAfterMs: 0 }))
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "ready", retries_left: 0 }])
  })

  test("a held job goes with its instance", async () => {
    const job = await begin(twice)
    await report(failure(job, { retryAfterMs: 60_000 }))
    await cancelInstance(engine.kernel, { instanceId: job.instanceId, reason: undefined, actor: "local" })
    await engine.advanceClock(60_000)
    await releaseJobs(engine.kernel, noTerm)
    expect(await worker.claim([job.jobType])).not.toContainEqual(expect.objectContaining({ id: job.id }))
  })
})

describe("W-03: a worker that has no token", () => {
  const nameless = { token: undefined }
  const other = () => drive(engine.kernel, "w2")

  /** Its lease ends while it works, and another worker has the job. */
  async function handedOn(step = {}): Promise<{ mine: ClaimedJob; theirs: ClaimedJob }> {
    const mine = await begin(step)
    await engine.advanceClock(31_000)
    await sweepAll(engine.kernel)
    return { mine, theirs: await other().claimOne(mine.jobType) }
  }

  test("W-03: completes a job that another worker has now: it is counted once", async () => {
    const { mine, theirs } = await handedOn()
    expect(await reportJob(engine.kernel, completion(mine, { ...nameless, variables: { by: "w1" } }))).toBe("accepted")
    expect(await worker.get(mine.instanceId)).toMatchObject({ status: "COMPLETED", variables: { by: "w1" } })
    expect(await other().complete(theirs, { by: "w2" })).toBe("stale")
    const late = completion(theirs, { ...nameless, workerId: "w2", variables: { by: "w2" } })
    expect(await reportJob(engine.kernel, late)).toBe("stale")
    expect(await reportJob(engine.kernel, completion(mine, nameless))).toBe("accepted")
    expect((await worker.get(mine.instanceId)).variables).toEqual({ by: "w1" })
  })

  test("W-03: has given the job up for good, also while another worker has it", async () => {
    const { mine, theirs } = await handedOn(twice)
    expect(await reportJob(engine.kernel, failure(mine, { ...nameless, retryable: false }))).toBe("accepted")
    expect((await worker.get(mine.instanceId)).status).toBe("FAILED")
    expect(await other().complete(theirs)).toBe("stale")
  })

  const retriesLeft = async (job: ClaimedJob) => (await jobRows(engine.db, job.instanceId))[0]?.retries_left

  test("W-03, W-22: a failure that may be retried spends one retry: the other worker's attempt is that retry", async () => {
    const { mine, theirs } = await handedOn(twice)
    const late = failure(mine, { ...nameless, retryable: true })
    expect(await reportJobs(engine.kernel, [late, late, late])).toEqual(["accepted", "accepted", "accepted"])
    expect(await reportJob(engine.kernel, late)).toBe("accepted")
    expect(await jobRows(engine.db, mine.instanceId)).toMatchObject([
      { status: "leased", worker_id: "w2", retries_left: 1, lost_leases: 1 },
    ])
    expect(await attemptRows(engine.db, mine.instanceId)).toMatchObject([{ epoch: 1, outcome: "failed" }])
    expect(await other().complete(theirs)).toBe("accepted")
  })

  test("W-03: a late failure and the other worker's completion at once: the completion counts", async () => {
    for (let n = 0; n < 5; n++) {
      const { mine, theirs } = await handedOn(twice)
      const late = failure(mine, { ...nameless, retryable: true })
      const done = completion(theirs, { workerId: "w2" })
      expect((await reportJobs(engine.kernel, [late, done]))[1]).toBe("accepted")
      expect((await worker.get(mine.instanceId)).status).toBe("COMPLETED")
    }
  })

  test("W-03: with no retry left a late failure leaves the end to the worker that has the job", async () => {
    const { mine, theirs } = await handedOn()
    expect(await reportJob(engine.kernel, failure(mine, { ...nameless, retryable: true }))).toBe("accepted")
    expect(await retriesLeft(mine)).toBe(0)
    expect(await other().complete(theirs)).toBe("accepted")
    expect((await worker.get(mine.instanceId)).status).toBe("COMPLETED")
  })

  test("W-22: one that came back under its name has its repeated failure counted once, whatever it lost before", async () => {
    const mine = await begin(twice)
    await engine.advanceClock(31_000)
    await sweepAll(engine.kernel)
    await worker.claimOne(mine.jobType)
    const again = failure(mine, { ...nameless, retryable: true })
    for (let n = 0; n < 3; n++) expect(await reportJob(engine.kernel, again)).toBe("accepted")
    expect(await retriesLeft(mine)).toBe(1)
  })

  test("W-03: is heard while the job waits for its next attempt", async () => {
    const { mine, theirs } = await handedOn(twice)
    expect(await other().fail(theirs, "busy", true, 60_000)).toBe("accepted")
    expect(await reportJob(engine.kernel, completion(mine, nameless))).toBe("accepted")
    expect((await worker.get(mine.instanceId)).status).toBe("COMPLETED")
  })

  test("W-03, C-66: one that never held the job changes nothing, and with a token the strict rule stays", async () => {
    const { mine, theirs } = await handedOn()
    expect(await reportJob(engine.kernel, completion(mine, { ...nameless, workerId: "w3" }))).toBe("stale")
    expect(await reportJob(engine.kernel, completion(mine))).toBe("stale")
    expect(await other().complete(theirs)).toBe("accepted")
  })

  test("W-03: a handler of three leases ends with its work counted once, not as a poison pill", async () => {
    const mine = await begin()
    for (const workerId of ["w2", "w1", "w3"]) {
      await engine.advanceClock(31_000)
      await sweepAll(engine.kernel)
      await drive(engine.kernel, workerId).claimOne(mine.jobType)
    }
    expect(await reportJob(engine.kernel, completion(mine, { ...nameless, variables: { n: 1 } }))).toBe("accepted")
    const late = ["w1", "w2", "w3"].map((workerId) => completion(mine, { ...nameless, workerId, variables: { n: 2 } }))
    await reportJobs(engine.kernel, late)
    expect(await worker.get(mine.instanceId)).toMatchObject({ status: "COMPLETED", variables: { n: 1 } })
    expect((await auditKinds(engine.db, mine.instanceId)).filter((kind) => kind === "JOB_COMPLETED")).toHaveLength(1)
  })
})
