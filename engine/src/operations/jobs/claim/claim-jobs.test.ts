// Claims on a real database: who gets a job, in which order, under which lease, and how a waiting claim is woken.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Core } from "../../../core.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { jobRows } from "../../../test-support/rows.ts"
import { literals, storeStatement } from "../../../test-support/store-statements.ts"
import { openTestCore } from "../../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { cancelInstance } from "../../instances/change-instance.ts"
import { claimJobs } from "./claim-jobs.ts"
import { lowWaterOf } from "./low-water.ts"
import { wakeupsOf } from "./wakeups.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

/** A workflow with one step, whose job type is its id. */
const single = (id: string, more = {}) => workflow(id, [service(id, "end", more), end()])

const startMany = (id: string, count: number) => Promise.all(Array.from({ length: count }, () => worker.start(id)))

/** Resolves once a claim waits for the type: nothing else tells when a long poll has found nothing and gone to sleep. */
async function untilWaited(core: Pick<Core, "kernel">, jobType: string): Promise<void> {
  while (!wakeupsOf(core.kernel).waitingFor().includes(jobType)) await new Promise((resolve) => setImmediate(resolve))
}

const waitFor = (kernel: Core["kernel"], jobType: string, waitMs = 60_000, signal?: AbortSignal) =>
  claimJobs(kernel, {
    workerId: "w1",
    jobTypes: [jobType],
    maxJobs: 10,
    leaseMs: 30_000,
    waitMs,
    ...(signal ? { signal } : {}),
  })

describe("a short poll", () => {
  test("C-26: is empty at once when there is nothing, or nothing of the wanted types", async () => {
    await engine.upload(single("unwanted"))
    const id = await worker.start("unwanted")
    expect(await worker.claim(["nobody-makes-these"])).toEqual([])
    expect(wakeupsOf(engine.kernel).waitingFor()).toEqual([])
    expect(await worker.claim(["unwanted"])).toMatchObject([{ instanceId: id }])
    expect(await worker.claim(["unwanted"])).toEqual([])
  })

  test("C-26: finds the job of a queue that another process has just made", async () => {
    const other = await createBareKernel(engine.dsn)
    const there = drive(other)
    await engine.upload(single("new-type"))
    const first = await worker.start("new-type")
    expect(await there.claim(["new-type"])).toMatchObject([{ instanceId: first }])
    // The type is known there by now, and this queue of it is not.
    await engine.upload(workflow("new-definition", [service("new-type", "end"), end()]))
    const second = await worker.start("new-definition")
    expect(await there.claim(["new-type"])).toMatchObject([{ instanceId: second }])
    expect(await there.claim(["new-type"])).toEqual([])
    await other.db.close()
  })

  test("C-34: a job tells everything its handler needs", async () => {
    await engine.upload(single("told", { retryCount: 3 }))
    const id = await worker.start("told", { a: [1, "x"] }, { businessKey: "order-9" })
    const job = await worker.claimOne("told")
    expect(job).toMatchObject({
      jobType: "told",
      instanceId: id,
      stepId: "told",
      retriesRemaining: 3,
      attempt: 1,
      priority: "normal",
      definitionId: "told",
      businessKey: "order-9",
      leaseToken: expect.stringMatching(/^1\.[0-9a-f-]{36}$/),
    })
    expect(JSON.parse(job.variables)).toEqual({ a: [1, "x"] })
    expect(job.stepExecutionId).toBe(job.id)
    expect(job.idempotencyKey).toBe(job.id)
  })

  test("C-62: a job sees the variables as of its claim, not of its dispatch", async () => {
    await engine.upload(
      workflow("seen", [
        {
          id: "fork",
          name: "fork",
          type: "PARALLEL_GATEWAY",
          parallelNextSteps: ["seen-a", "seen-b"],
          joinStep: "join",
        },
        service("seen-a", "join"),
        service("seen-b", "join"),
        { id: "join", name: "join", type: "JOIN_GATEWAY", nextStep: "end" },
        end(),
      ]),
    )
    await worker.start("seen", { a: 0, keep: true })
    await worker.complete(await worker.claimOne("seen-a"), { a: 1 })
    expect(JSON.parse((await worker.claimOne("seen-b")).variables)).toEqual({ a: 1, keep: true })
  })

  test("C-35, S6: the lease is as long as asked for, by the database's clock, and each delivery has a token of its own", async () => {
    await engine.upload(single("leased"))
    await startMany("leased", 2)
    const [before] = await engine.db.script("select millrace.clock() as now")
    const [short, long] = [await worker.claimOne("leased", 5_000), await worker.claimOne("leased", 3_600_000)]
    const [after] = await engine.db.script("select millrace.clock() as now")
    for (const [job, leaseMs] of [[short, 5_000] as const, [long, 3_600_000] as const]) {
      expect(job.lockExpiresAt).toBeGreaterThanOrEqual((before?.now as number) + leaseMs)
      expect(job.lockExpiresAt).toBeLessThanOrEqual((after?.now as number) + leaseMs)
    }
    expect(short.leaseToken).not.toBe(long.leaseToken)
  })
})

describe("many claims", () => {
  test("C-59, C-60, S6: 200 jobs and 8 claimers at once, every job is claimed by exactly one, LOCKED with its worker", async () => {
    await engine.upload(single("rush"))
    const started = await startMany("rush", 200)
    // A second process, so that the database has to tell them apart and not one batch.
    const other = await openSecond()
    const claimers = Array.from({ length: 8 }, (_, n) => drive(n % 2 === 0 ? engine.kernel : other.kernel, `w${n}`))
    const claimed = await Promise.all(
      claimers.map(async (claimer) => {
        const mine: string[] = []
        for (;;) {
          const jobs = await claimer.claim(["rush"], 7)
          if (jobs.length === 0) return mine
          mine.push(...jobs.map((job) => job.instanceId))
        }
      }),
    )
    expect(claimed.flat().sort()).toEqual(started.sort())
    const rows = await engine.db.script(
      "select distinct status, epoch from millrace.jobs j join millrace.queues q on q.id = j.queue_id where q.job_type = 'rush'",
    )
    expect(rows).toEqual([{ status: "leased", epoch: 1 }])
    await other.stop()
  })

  test("C-60: oldest first, also over several types and several definitions of one type", async () => {
    await engine.upload(workflow("age-1", [service("s", undefined, { jobType: "aged" })]))
    await engine.upload(workflow("age-2", [service("s", undefined, { jobType: "aged" })]))
    await engine.upload(workflow("age-3", [service("s", undefined, { jobType: "aged-too" })]))
    const order: string[] = []
    for (const id of ["age-2", "age-1", "age-3", "age-1", "age-2"]) order.push(await worker.start(id))
    const first = await worker.claim(["aged-too", "aged"], 2)
    const rest = await worker.claim(["aged-too", "aged"], 10)
    expect([...first, ...rest].map((job) => job.instanceId)).toEqual(order)
  })

  test("three jobs for three workers that ask together are one each", async () => {
    await engine.upload(single("dealt"))
    await startMany("dealt", 3)
    const claims = await Promise.all(["x", "y", "z"].map((name) => drive(engine.kernel, name).claim(["dealt"], 10)))
    expect(claims.map((jobs) => jobs.length)).toEqual([1, 1, 1])
    const rows = await Promise.all(claims.flat().map((job) => jobRows(engine.db, job.instanceId)))
    expect(rows.flat().map((row) => row.worker_id)).toEqual(["x", "y", "z"])
  })

  test("S15: a job of a cancelled instance is never claimed, though both come together", async () => {
    await engine.upload(single("doomed"))
    const ids = await startMany("doomed", 40)
    const cancels = ids.map((instanceId) => cancelInstance(engine.kernel, { instanceId, reason: "x", actor: "local" }))
    const [claimed] = await Promise.all([worker.claim(["doomed"], 40), ...cancels])
    // What was claimed before its cancel is worth nothing any more, and nothing is left to claim.
    expect(await Promise.all(claimed.map((job) => worker.complete(job)))).toEqual(claimed.map(() => "stale"))
    expect(await worker.claim(["doomed"], 40)).toEqual([])
  })

  test("C-61, F73: the claim reads jobs_ready alone, however many finished rows there are", async () => {
    await engine.upload(single("indexed"))
    await startMany("indexed", 20)
    await engine.db.script(`insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at, lease_until)
      select 'finished-' || n, 1, (select id from millrace.queues where job_type = 'indexed'), 'leased', -n, 's', 0, now(), now() + interval '1 day'
      from generate_series(1, 20000) n`)
    await engine.db.script("analyze millrace.jobs")
    const plan = (await explainClaim("indexed")).map((row) => row["QUERY PLAN"]).join("\n")
    expect(plan).toContain("Index Scan using jobs_ready")
    expect(plan).not.toMatch(/Seq Scan on jobs|jobs_leased|jobs_held/)
    expect(await worker.claim(["indexed"], 20)).toHaveLength(20)
    await engine.db.script("delete from millrace.jobs where instance_id like 'finished-%'")
  })

  test("F43, F44: without autovacuum and under an old snapshot a claim begins above the dead rows", async () => {
    await engine.db.script("alter table millrace.jobs set (autovacuum_enabled = false)")
    await engine.upload(single("churned"))
    const reader = await engine.db.dedicated()
    try {
      await reader.query("begin isolation level repeatable read; select from millrace.jobs")
      await churn("churned", 60)
      const pages = await pagesOfClaim("churned")
      expect(pages).toBeLessThan((await pagesOfClaim("churned", 0)) / 4)
    } finally {
      await reader.query("rollback")
      reader.release()
    }
    await engine.db.script("alter table millrace.jobs reset (autovacuum_enabled)")
  })
})

async function churn(id: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await startMany(id, 20)
    await Promise.all((await worker.claim([id], 20)).map((job) => worker.complete(job)))
  }
}

/** How many pages the next claim of a queue reads; from its low mark on, unless another place is given. */
async function pagesOfClaim(jobType: string, after?: number): Promise<number> {
  const [row] = await explainClaim(jobType, { after, options: "(analyze, buffers, format json)" })
  const [{ Plan: plan }] = JSON.parse(row?.["QUERY PLAN"] as string)
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
}

/** The plan of the statement itself, as prepared. */
async function explainClaim(
  jobType: string,
  { after, options = "" }: { readonly after?: number | undefined; readonly options?: string } = {},
): Promise<Record<string, unknown>[]> {
  const statement = storeStatement("jobs/claims", "claimJobs")
  const [queue] = await engine.db.script(`select id from millrace.queues where job_type = '${jobType}'`)
  const connection = await engine.db.dedicated()
  try {
    await connection.query(`begin; set local plan_cache_mode = force_generic_plan; prepare claim as ${statement.text}`)
    const queueId = queue?.id as number
    const from = after ?? lowWaterOf(engine.kernel).peek(queueId)
    const ask = { queue_id: queueId, after: from, group_no: 2, quota: 1, group_quota: 1, has_neighbours: true }
    const values = {
      asks: [{ ...ask, lease_ms: 1000, run_ms: null, is_step: true }],
      nonces: ["00000000-0000-0000-0000-000000000001"],
      workerIds: ["w"],
      leaseMs: [1000],
      beats: [false],
      stepLeases: [1000],
      isEndless: false,
    }
    return (await connection.query(`explain ${options} execute claim(${literals(statement, values).join(", ")})`)).rows
  } finally {
    // Thrown away, and the prepared statement with it.
    connection.release(true)
  }
}

describe("a long poll", () => {
  test("C-26: is woken by a start in the same process, without waiting for a pulse", async () => {
    await engine.upload(single("woken"))
    const kernel = await createBareKernel(engine.dsn)
    const near = drive(kernel)
    await near.start("woken")
    await near.complete(await near.claimOne("woken"))
    const waiting = waitFor(kernel, "woken")
    await untilWaited({ kernel }, "woken")
    const id = await near.start("woken")
    expect(await waiting).toMatchObject([{ instanceId: id }])
    await kernel.db.close()
  })

  test("is woken for a type that nobody had a job of before", async () => {
    await engine.upload(single("brand-new"))
    const waiting = waitFor(engine.kernel, "brand-new")
    await untilWaited(engine, "brand-new")
    const id = await worker.start("brand-new")
    expect(await waiting).toMatchObject([{ instanceId: id }])
  })

  test("F50: is woken by what another process commits, by its word or, without LISTEN, by the next pulse", async () => {
    await engine.upload(single("afar"))
    for (const connections of ["4", "2"]) {
      const other = await openSecond(connections)
      const waiting = waitFor(other.kernel, "afar")
      await untilWaited(other, "afar")
      const id = await worker.start("afar")
      expect(await waiting).toMatchObject([{ instanceId: id }])
      await other.stop()
    }
  })

  test("is answered at once by a draining engine", async () => {
    const other = await openSecond()
    const waiting = waitFor(other.kernel, "never-comes")
    await untilWaited(other, "never-comes")
    const stopped = other.stop()
    expect(await waiting).toEqual([])
    await stopped
  })

  test("F28: ends with its caller: an aborted one claims nothing any more", async () => {
    await engine.upload(single("aborted"))
    await worker.complete(await startAndClaim("aborted"))
    const gone = new AbortController()
    const waiting = waitFor(engine.kernel, "aborted", 60_000, gone.signal)
    await untilWaited(engine, "aborted")
    gone.abort()
    const id = await worker.start("aborted")
    expect(await waiting).toEqual([])
    expect(await worker.claim(["aborted"])).toMatchObject([{ instanceId: id }])
  })

  test("F28, C-64: one whose caller goes while it claims gives the job back at once, without a lost lease", async () => {
    await engine.upload(single("handed-back"))
    await worker.start("handed-back")
    const gone = new AbortController()
    const claim = waitFor(engine.kernel, "handed-back", 60_000, gone.signal)
    gone.abort()
    expect(await claim).toEqual([])
    const job = await worker.claimOne("handed-back")
    expect(await jobRows(engine.db, job.instanceId)).toMatchObject([{ status: "leased", lost_leases: 0 }])
    expect(await worker.complete(job)).toBe("accepted")
  })

  test("wakes for a retry and for a job that was taken back", async () => {
    await engine.upload(single("again", { retryCount: 1 }))
    const job = await startAndClaim("again")
    const waiting = waitFor(engine.kernel, "again")
    await untilWaited(engine, "again")
    await worker.fail(job)
    expect(await waiting).toMatchObject([{ id: job.id, attempt: 2 }])
  })
})

async function startAndClaim(jobType: string) {
  await worker.start(jobType)
  return worker.claimOne(jobType)
}

function openSecond(connections = "4"): Promise<Core> {
  return openTestCore(engine.dsn, { DB_MAX_CONNS: connections })
}
