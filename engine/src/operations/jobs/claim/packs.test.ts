// Packs on a real database: jobs that are claimed together lie in one row, and are seen, reported on and taken back like any other.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { formatToken, parseToken } from "../../../model/jobs/reports.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, sweepAll } from "../../../test-support/loops.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { setDownstream } from "../../flow/change-downstreams.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { ALL_KINDS, examine } from "../../upkeep/doctor.ts"
import { takePulse } from "../../upkeep/take-pulse.ts"
import { cancelJob } from "../end/cancel-job.ts"
import { completeHeld } from "../end/complete-standalone.ts"
import type { Completion } from "../end/report.ts"
import { reportJob, reportJobs } from "../end/report-jobs.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"
import { enqueueMany } from "../enqueue/enqueue-many.ts"
import { listJobs } from "../list-jobs.ts"
import { getJob } from "../read-jobs.ts"
import { unpackJobs } from "../unpack-jobs.ts"
import type { ClaimedJob } from "./claimed-job.ts"
import { giveBackClaims } from "./give-back-claims.ts"
import { heartbeatJob } from "./heartbeat-job.ts"
import { packingOf } from "./packing.ts"

const LEASE_MS = 10_000
const MANY = 12

let engine: TestEngine
let kernel: Kernel
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  kernel = engine.kernel
  worker = drive(kernel)
  await holdLoops(kernel)
})
afterAll(() => engine.close())

let types = 0

/** So many new jobs of a type of their own. */
async function enqueued(n = MANY, more: object = {}): Promise<string> {
  const jobType = `packed-${++types}`
  await enqueueMany(
    kernel,
    Array.from({ length: n }, (_, at) => ({
      jobType,
      payload: JSON.stringify({ at }),
      whenFull: "absorb" as const,
      actor: "test",
      ...more,
    })),
  )
  return jobType
}

const claimed = async (n = MANY): Promise<readonly ClaimedJob[]> => worker.claim([await enqueued(n)], n, LEASE_MS)

const packsOf = (jobType: string) => countRows(kernel.db, "packs", `step_id = '${jobType}'`)
const rowsOf = (jobType: string) => countRows(kernel.db, "jobs", `step_id = '${jobType}'`)

const completion = (job: ClaimedJob, more: Partial<Completion> = {}): Completion => ({
  verb: "complete",
  jobId: job.id,
  workerId: "w1",
  token: parseToken(job.leaseToken),
  actor: "w1",
  variables: { at: JSON.parse(job.variables).at },
  ...more,
})

const statusesOf = async (jobs: readonly ClaimedJob[]) =>
  Promise.all(jobs.map(async ({ id }) => (await getJob(kernel, id)).status))

const [first, second, third] = [0, 1, 2] as const
const at = (jobs: readonly ClaimedJob[], place: number): ClaimedJob => jobs[place] as ClaimedJob

describe("a claim of many plain jobs", () => {
  test("D-16: is one row, in the order of the queue, and each job is seen as running", async () => {
    const jobs = await claimed()
    const { jobType } = at(jobs, first)
    expect(await packsOf(jobType)).toBe(1)
    expect(await rowsOf(jobType)).toBe(0)
    expect(jobs.map((job) => JSON.parse(job.variables).at)).toEqual(Array.from({ length: MANY }, (_, n) => n))
    expect(await getJob(kernel, at(jobs, 3).id)).toMatchObject({
      status: "RUNNING",
      workerId: "w1",
      payload: '{"at": 3}',
    })
    const { items } = await listJobs(kernel, { status: "leased", jobType, pageSize: 50 })
    expect(items.map(({ id }) => id).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
    expect(items[0]).toMatchObject({ attempt: 1, workerId: "w1" })
    expect(await worker.claim([jobType])).toEqual([])
  })

  test("a claim of a few is leased row by row", async () => {
    const { jobType } = at(await claimed(7), first)
    expect([await packsOf(jobType), await rowsOf(jobType)]).toEqual([0, 7])
  })

  test.each([
    ["a limit", { limit: { key: "packs-limit", max: 100 } }],
    ["a fair key", { fairKey: "tenant" }],
    ["a policy of its own", { retry: { retries: 1, baseMs: 10 } }],
    ["a time limit of its own", { timeoutMs: 5_000 }],
    [
      "a large payload",
      { payload: JSON.stringify({ text: Array.from({ length: 400 }, (_, n) => `${n * 7919}`).join() }) },
    ],
  ])("jobs with %s keep their rows", async (_, more) => {
    const jobType = await enqueued(MANY, more)
    if ("limit" in more) await kernel.db.script("select millrace.fill_limits('{packs-limit}')")
    expect(await worker.claim([jobType], MANY)).toHaveLength(MANY)
    expect([await packsOf(jobType), await rowsOf(jobType)]).toEqual([0, MANY])
  })

  test("jobs for a downstream keep their rows", async () => {
    const limits = { perSecond: null, concurrency: 100, adaptive: false }
    await setDownstream(kernel, { actor: "test" }, { name: "packs-mail", ...limits })
    const jobType = await enqueued(MANY, { downstream: "packs-mail" })
    expect(await worker.claim([jobType], MANY)).toHaveLength(MANY)
    expect(await packsOf(jobType)).toBe(0)
  })

  test("plain jobs and others of one queue are handed out by the same claim", async () => {
    const jobType = await enqueued(MANY)
    const request = { jobType, payload: "{}", whenFull: "refuse" as const, actor: "test" }
    await enqueueJob(kernel, { ...request, timeoutMs: 5_000 })
    await enqueueJob(kernel, request)
    expect(await worker.claim([jobType], 50)).toHaveLength(MANY + 2)
    expect([await packsOf(jobType), await rowsOf(jobType)]).toEqual([1, 1])
  })

  test("two workers whose claims are one batch have a pack each", async () => {
    const jobType = await enqueued(40)
    const [mine, theirs] = await Promise.all([worker.claim([jobType], 20), drive(kernel, "w2").claim([jobType], 20)])
    expect([mine?.length, theirs?.length]).toEqual([20, 20])
    expect(await packsOf(jobType)).toBe(2)
    expect(await drive(kernel, "w2").complete(at(theirs, first))).toBe("accepted")
    expect(await worker.complete(at(mine, first))).toBe("accepted")
  })

  test("F71: while a process of a version before packs is alive no pack is made, and those that there are become rows", async () => {
    const beat = () => takePulse(kernel, "one of now", 0, [])
    await kernel.db.script(
      "insert into millrace.processes (id, started_at, seen_at) values ('old', millrace.clock(), millrace.clock())",
    )
    const before = at(await claimed(), first)
    await beat()
    expect([await packsOf(before.jobType), await rowsOf(before.jobType)]).toEqual([0, MANY])
    expect(await worker.complete(before)).toBe("accepted")
    const { jobType } = at(await claimed(), first)
    expect(await packsOf(jobType)).toBe(0)
    await kernel.db.script("delete from millrace.processes where id = 'old'")
    await beat()
    expect(await packsOf(at(await claimed(), first).jobType)).toBe(1)
  })
})

describe("a completion", () => {
  test("S4, S20: of some places leaves the others open, and of the last one ends the pack", async () => {
    const jobs = await claimed()
    const { jobType } = at(jobs, first)
    expect(
      await reportJobs(
        kernel,
        jobs.slice(0, 5).map((job) => completion(job)),
      ),
    ).toEqual(Array(5).fill("accepted"))
    expect(await packsOf(jobType)).toBe(1)
    expect(await statusesOf(jobs)).toEqual([...Array(5).fill("COMPLETED"), ...Array(7).fill("RUNNING")])
    expect(
      await reportJobs(
        kernel,
        jobs.slice(5).map((job) => completion(job)),
      ),
    ).toEqual(Array(7).fill("accepted"))
    expect([await packsOf(jobType), await rowsOf(jobType)]).toEqual([0, 0])
    expect(await getJob(kernel, at(jobs, 9).id)).toMatchObject({
      status: "COMPLETED",
      result: '{"at":9}',
      retryCount: 0,
    })
  })

  test("C-69: sent twice is accepted twice and written once", async () => {
    const jobs = await claimed()
    const one = completion(at(jobs, first))
    expect(await reportJobs(kernel, [one, one])).toEqual(["accepted", "accepted"])
    expect(await reportJob(kernel, one)).toBe("accepted")
    expect(await countRows(kernel.db, "history", `instance_id = '${at(jobs, first).id}'`)).toBe(1)
  })

  test("S7: with other bits, another epoch, another place or another id does not count", async () => {
    const jobs = await claimed()
    const token = parseToken(at(jobs, first).leaseToken)
    if (!token) throw new Error("a job has a token")
    const wrong = [
      { ...token, nonce: "00000000-0000-4000-8000-000000000000" },
      { ...token, epoch: 2 },
      { ...token, place: 2 },
      { ...token, place: 400 },
    ]
    for (const other of wrong) {
      expect(await reportJob(kernel, completion(at(jobs, first), { token: parseToken(formatToken(other)) }))).toBe(
        "stale",
      )
    }
    expect(await statusesOf(jobs)).toEqual(Array(MANY).fill("RUNNING"))
  })

  test("W-03: without a token counts for the worker that has the job, and for no other", async () => {
    const jobs = await claimed()
    expect(await reportJob(kernel, completion(at(jobs, first), { token: undefined, workerId: "w9" }))).toBe("stale")
    expect(await reportJob(kernel, completion(at(jobs, first), { token: undefined }))).toBe("accepted")
    expect(await statusesOf(jobs.slice(0, 2))).toEqual(["COMPLETED", "RUNNING"])
  })

  test("counts with the token of the pack after the job has been taken out", async () => {
    const jobs = await claimed()
    await unpackJobs(kernel, [at(jobs, first).id, at(jobs, second).id])
    expect(await rowsOf(at(jobs, first).jobType)).toBe(2)
    expect(
      await reportJobs(
        kernel,
        jobs.map((job) => completion(job)),
      ),
    ).toEqual(Array(MANY).fill("accepted"))
    expect(await statusesOf(jobs)).toEqual(Array(MANY).fill("COMPLETED"))
  })

  test("in a caller's transaction is taken back with it, and others of the pack go on meanwhile", async () => {
    const jobs = await claimed()
    const rolledBack = kernel.db.transaction(async (tx) => {
      await completeHeld(kernel, tx, completion(at(jobs, first)))
      expect(await worker.complete(at(jobs, second))).toBe("accepted")
      throw new Error("rolled back")
    })
    await expect(rolledBack).rejects.toThrow("rolled back")
    expect(await statusesOf(jobs.slice(0, 2))).toEqual(["RUNNING", "COMPLETED"])
    await kernel.db.transaction((tx) => completeHeld(kernel, tx, completion(at(jobs, first))))
    expect(await statusesOf(jobs.slice(0, 2))).toEqual(["COMPLETED", "COMPLETED"])
  })
})

describe("what concerns one job of a pack", () => {
  test("D-21: a failure spends its retry and no other's", async () => {
    const jobs = await claimed()
    expect(await worker.fail(at(jobs, first), "boom")).toBe("accepted")
    expect(await worker.fail(at(jobs, first), "boom")).toBe("accepted")
    expect(await getJob(kernel, at(jobs, first).id)).toMatchObject({ status: "PENDING", retryCount: 1, error: "boom" })
    expect(await getJob(kernel, at(jobs, second).id)).toMatchObject({ status: "RUNNING", retryCount: 0 })
  })

  test("a cancel ends it, and its report no longer counts", async () => {
    const jobs = await claimed()
    const { outcome } = await cancelJob(kernel, { id: at(jobs, third).id, actor: "test" })
    expect(outcome).toMatchObject({ status: "CANCELLED", workerId: "w1" })
    expect(await worker.complete(at(jobs, third))).toBe("stale")
    expect(await worker.complete(at(jobs, second))).toBe("accepted")
  })

  test("S6: a heartbeat extends its lease alone; the others are ready again when theirs is over", async () => {
    const jobs = await claimed()
    const { jobType } = at(jobs, first)
    await engine.advanceClock(LEASE_MS / 2)
    await heartbeatJob(kernel, {
      jobId: at(jobs, first).id,
      workerId: "w1",
      token: parseToken(at(jobs, first).leaseToken),
    })
    await engine.advanceClock(LEASE_MS / 2 + 1)
    await sweepAll(kernel)
    expect(await packsOf(jobType)).toBe(0)
    expect(await statusesOf(jobs)).toEqual(["RUNNING", ...Array(MANY - 1).fill("PENDING")])
  })

  test("L2: the pulse tells when the lease of a pack ends", async () => {
    const [job] = await worker.claim([await enqueued()], MANY, 1_000)
    const { due } = await takePulse(kernel, "one of now", 0, [])
    expect(due.leaseAt).toBe(job?.lockExpiresAt)
  })

  test("C-65: a late report counts after the sweep, until the next claim", async () => {
    const jobs = await claimed()
    await engine.advanceClock(LEASE_MS + 1)
    expect(await worker.complete(at(jobs, first))).toBe("accepted")
    await sweepAll(kernel)
    expect(await worker.complete(at(jobs, second))).toBe("accepted")
    const again = await worker.claim([at(jobs, first).jobType], MANY)
    expect(again.map(({ attempt }) => attempt)).toEqual(Array(MANY - 2).fill(2))
    expect(await packsOf(at(jobs, first).jobType)).toBe(0)
    expect(await worker.complete(at(jobs, third))).toBe("stale")
  })

  test("jobs that reached no handler are given back as if they had not been claimed", async () => {
    const jobs = await claimed()
    await giveBackClaims(kernel, jobs.slice(0, 2))
    const again = await worker.claim([at(jobs, first).jobType])
    expect(again.map(({ id, attempt }) => `${id} ${attempt}`).toSorted()).toEqual(
      jobs.slice(0, 2).map(({ id }) => `${id} 1`),
    )
    expect(await worker.complete(at(jobs, first))).toBe("stale")
    for (const job of again) expect(await worker.complete(job)).toBe("accepted")
  })
})

test("S1, S4, S20: whatever meets on the jobs of packs, each of them ends once", async () => {
  const others = await Promise.all([1, 2].map(() => createBareKernel(engine.dsn)))
  const kernels = [kernel, ...others]
  for (let round = 0; round < 8; round++) {
    const jobType = await enqueued(60)
    const jobs = await worker.claim([jobType], 60, LEASE_MS)
    const acts = jobs.flatMap((job, n) => {
      const on = (k: number) => kernels[(n + k + round) % kernels.length] as Kernel
      const token = parseToken(job.leaseToken)
      const failure = {
        verb: "fail",
        jobId: job.id,
        workerId: "w1",
        token,
        actor: "w1",
        message: "no",
        retryable: false,
      } as const
      const all = [
        () => reportJob(on(0), completion(job)),
        () => reportJob(on(1), failure),
        () => cancelJob(on(2), { id: job.id, actor: "test" }).catch(() => "ended"),
        () => unpackJobs(on(1), [job.id]),
        () => heartbeatJob(on(0), { jobId: job.id, workerId: "w1", token }).catch(() => "lost"),
        () => reportJob(on(2), completion(job, { token: undefined })),
      ]
      // Two to four of them on each job, others in each round.
      return all.filter((_, act) => (n * 7 + act * 3 + round) % 5 < 3)
    })
    await Promise.all(acts.map((act) => act()))
    await Promise.all(jobs.map((job) => reportJob(kernel, completion(job))))
    const ended = await countRows(kernel.db, "history", `step_id = '${jobType}'`)
    expect([ended, await rowsOf(jobType), await packsOf(jobType)]).toEqual([60, 0, 0])
  }
  await Promise.all(others.map((other) => other.db.close()))
})

test("S20: a job that is live in two places is found by the doctor, and nothing else is here", async () => {
  expect((await examine(kernel, { kinds: ALL_KINDS })).map(({ name }) => name)).toEqual([])
  const [job] = await claimed()
  await kernel.db.script(`insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left,
    created_at) select instance_id, 0, queue_id, 'ready', 0, step_id, 0, created_at from millrace.packed_jobs
    where instance_id = '${job?.id}'`)
  expect((await examine(kernel)).map(({ name }) => name)).toContain("jobsInBoth")
})

test("a queue whose jobs are mostly not plain is left to the rows for a while", () => {
  const packing = packingOf(kernel)
  const queue = { id: -1, priority: "normal", jobType: "t", definitionId: "", downstream: "", isFair: false } as const
  expect(packing.mayPack(queue, 8)).toBe(true)
  packing.learn(-1, { packed: 1, passed: 9 })
  const tries = Array.from({ length: 101 }, () => packing.mayPack(queue, 8))
  expect([tries.filter(Boolean).length, tries.at(-1)]).toEqual([1, true])
})
