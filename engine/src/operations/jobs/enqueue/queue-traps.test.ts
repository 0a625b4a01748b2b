// The queue of workflow steps under the names of part B: its states, its operations, and the faults that others have had with them.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Row } from "../../../db/train.ts"
import { parseToken } from "../../../model/jobs/reports.ts"
import { EVERYTHING } from "../../../model/people/reach.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { setJobType } from "../../flow/change-job-types.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import { cancelInstance } from "../../instances/change-instance.ts"
import { fireSchedules } from "../../schedules/fire-schedules.ts"
import { getSchedule, listScheduleRuns } from "../../schedules/read-schedules.ts"
import { putSchedule } from "../../schedules/schedules.ts"
import type { ClaimedJob } from "../claim/claimed-job.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { getJob } from "../read-jobs.ts"

const MINUTE_MS = 60_000
const LEASE_MS = 30_000
/** 1, 2 and 4 minutes. */
const MINUTES = { retry: { retries: 3, base: "PT1M", factor: 2, cap: "PT1H" } }

let engine: TestEngine
let worker: ReturnType<typeof drive>
let other: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  worker = drive(engine.kernel)
  other = drive(engine.kernel, "w2")
})
afterAll(() => engine.close())

const rows = (sql: string): Promise<Row[]> => engine.db.script(sql)

/** Steps in a row whose job types are their own: no test claims another's. */
const define = (id: string, names: readonly string[], more = {}) =>
  engine.upload(
    workflow(id, [
      ...names.map((name, at) => service(`${id}-${name}`, names[at + 1] ? `${id}-${names[at + 1]}` : "end", more)),
      end(),
    ]),
  )

const steps = (id: string): Promise<Row[]> =>
  rows(
    `select name, status, retry_count from millrace_views.workflow_step where workflow_id = '${id}' order by execution`,
  )
const statusOf = async (id: string) => (await steps(id)).at(-1)?.status
const queued = (id: string): Promise<Row[]> =>
  rows(`select * from millrace_views.queue_item where workflow_id = '${id}'`)

/** What waits and is due joins its queue. */
async function pass(ms: number): Promise<void> {
  await engine.advanceClock(ms)
  await releaseJobs(engine.kernel, noTerm)
}

async function begin(definitionId: string): Promise<{ id: string; job: ClaimedJob }> {
  const id = await worker.start(definitionId)
  const names = await rows(`select step_id from millrace.jobs where instance_id = '${id}'`)
  return { id, job: await worker.claimOne(names[0]?.step_id as string, LEASE_MS) }
}

const cancel = (instanceId: string) =>
  cancelInstance(engine.kernel, { instanceId, reason: "wrong slide", actor: "ada" })

/** As if the process died at this write. */
const CRASH = (where: string) => `create function millrace.crash() returns trigger language plpgsql as
    $$ begin raise exception 'the process died' using errcode = 'XX000'; end $$;
  create trigger crash before insert on ${where} execute function millrace.crash()`
const HEAL = "drop function millrace.crash() cascade"

describe("states", () => {
  test("B-03: a step is pending, queued, running, completed, failed or aborted, in these words", async () => {
    await define("states", ["only"], MINUTES)
    const [waiting, done, bad, stopped, busy] = [
      await begin("states"),
      await begin("states"),
      await begin("states"),
      await begin("states"),
      await begin("states"),
    ]
    await worker.fail(waiting.job, "the GPU is busy")
    await worker.complete(done.job)
    await worker.fail(bad.job, "not a slide", false)
    await cancel(stopped.id)
    const ready = await worker.start("states")
    const seen = await Promise.all([waiting.id, ready, busy.id, done.id, bad.id, stopped.id].map(statusOf))
    expect(seen).toEqual(["pending", "queued", "running", "completed", "failed", "aborted"])
    const [counted] = await rows(`select count(*) as n, count(distinct status) as kinds
      from millrace_views.workflow_step where name = 'states-only'`)
    expect(counted).toEqual({ n: 6, kinds: 6 })
  })

  test("B-20, B-T7: a step that is aborted while it is queued, waits or runs is never handed out again, and its worker's word is void", async () => {
    await define("aborted", ["first", "second"], MINUTES)
    const waits = await begin("aborted")
    await worker.fail(waits.job, "the GPU is busy")
    const runs = await begin("aborted")
    const isQueued = await worker.start("aborted")
    for (const id of [waits.id, runs.id, isQueued]) await cancel(id)
    await pass(10 * MINUTE_MS)
    await sweepAll(engine.kernel)
    expect(await worker.claim(["aborted-first", "aborted-second"])).toEqual([])
    expect(await worker.complete(runs.job)).not.toBe("accepted")
    for (const id of [waits.id, runs.id, isQueued]) {
      expect(await steps(id)).toMatchObject([{ name: "aborted-first", status: "aborted" }])
      expect(await queued(id)).toEqual([])
      expect((await worker.get(id)).status).toBe("CANCELLED")
    }
    expect(await countRows(engine.db, "dead_letters", "step_id = 'aborted-first'")).toBe(0)
  })
})

describe("the queue's operations", () => {
  test("B-09, B-10: enqueue writes an item with an id, its step, its workflow, the time and no retry, and the step is queued", async () => {
    await define("enqueued", ["first", "second"])
    const [before] = await rows("select millrace.clock() as now")
    const ids = [await worker.start("enqueued"), await worker.start("enqueued")]
    const [after] = await rows("select millrace.clock() as now")
    const items = await rows(
      "select * from millrace_views.queue_item where step_id = 'enqueued-first' order by queued_at, queue_id",
    )
    // In any order: both may have come in the same millisecond.
    expect(items.map(({ workflow_id }) => workflow_id).sort()).toEqual([...ids].sort())
    expect(new Set(items.map(({ queue_id }) => queue_id)).size).toBe(2)
    for (const { queued_at, retry_count } of items) {
      expect(retry_count).toBe(0)
      // The process reckons with the database's time as it heard of it last: a few milliseconds either way.
      expect(queued_at).toBeGreaterThan((before?.now as number) - 50)
      expect(queued_at).toBeLessThan((after?.now as number) + 50)
    }
    for (const id of ids)
      expect(await steps(id)).toEqual([{ name: "enqueued-first", status: "queued", retry_count: 0 }])
  })

  test("B-09: dequeue takes the item, requeue puts it back with one retry more, behind those that wait", async () => {
    await define("items", ["only"], { retryCount: 3 })
    const { id, job } = await begin("items")
    expect([await queued(id), await statusOf(id)]).toEqual([[], "running"])
    const behind = await worker.start("items")
    await worker.fail(job, "the GPU is busy")
    expect(await queued(id)).toMatchObject([{ workflow_id: id, step_id: "items-only", retry_count: 1 }])
    expect(await statusOf(id)).toBe("queued")
    const next = await worker.claim(["items-only"])
    expect(next.map(({ instanceId }) => instanceId)).toEqual([behind, id])
  })

  test("B-05: all that is queued, oldest first, and nothing but what is queued", async () => {
    await define("old-1", ["only"], MINUTES)
    await define("old-2", ["only"], MINUTES)
    const types = ["old-2-only", "old-1-only"]
    const waits = await begin("old-1")
    await begin("old-2")
    await worker.fail(waits.job, "the GPU is busy")
    const started: string[] = []
    for (const id of ["old-2", "old-1", "old-1", "old-2", "old-1"]) started.push(await worker.start(id))
    await cancel(started.splice(2, 1)[0] as string)
    const items = await rows(`select workflow_id from millrace_views.queue_item
      where step_id like 'old-_-only' order by queued_at, queue_id`)
    expect(items.map(({ workflow_id }) => workflow_id)).toEqual(started)
    const [alone, ...rest] = [
      ...(await worker.claim(["old-2-only"], 1)),
      ...(await worker.claim(types, 2)),
      ...(await other.claim(types, 10)),
    ]
    expect([alone, ...rest].map((job) => job?.instanceId)).toEqual(started)
  })

  test("B-X9: a claim takes as many as it was asked for, 500 at most, and leaves the others alone", async () => {
    await define("many", ["only"])
    await Promise.all(Array.from({ length: 620 }, () => worker.start("many")))
    const count = (status: string) =>
      rows(`select count(*) as n from millrace_views.workflow_step where name = 'many-only' and status = '${status}'`)
    expect(await worker.claim(["many-only"], 10)).toHaveLength(10)
    expect([await count("running"), await count("queued")]).toEqual([[{ n: 10 }], [{ n: 610 }]])
    expect(await worker.claim(["many-only"], 1_000_000)).toHaveLength(500)
    expect(await count("queued")).toEqual([{ n: 110 }])
  })
})

describe("queued to running", () => {
  test("B-12, B-X6: of two processes that claim one step at the same moment one gets it, the other nothing", async () => {
    await define("raced", ["only"])
    const elsewhere = await createBareKernel(engine.dsn)
    for (let round = 0; round < 25; round++) {
      const id = await worker.start("raced")
      await queuesOf(elsewhere).refresh()
      const claims = await Promise.all([worker, drive(elsewhere, "w2")].map((each) => each.claim(["raced-only"])))
      expect(claims.flat()).toMatchObject([{ instanceId: id, attempt: 1 }])
    }
    await elsewhere.db.close()
  })

  test("B-12: a step that somebody is just changing is skipped, not waited for", async () => {
    await define("locked", ["only"])
    const [held, free] = [await worker.start("locked"), await worker.start("locked")]
    const client = await engine.db.dedicated()
    await client.query("begin")
    await client.query(`select from millrace.jobs where instance_id = '${held}' for update`)
    const claimed = await worker.claim(["locked-only"])
    await client.query("rollback")
    client.release()
    expect(claimed).toMatchObject([{ instanceId: free }])
    expect(await worker.claim(["locked-only"])).toMatchObject([{ instanceId: held, attempt: 1 }])
  })

  test("B-X1, B-06: the claim alone makes it running: whoever has claimed it may execute it, and is believed", async () => {
    await define("owned", ["only"])
    const { id, job } = await begin("owned")
    expect([await statusOf(id), await queued(id)]).toEqual(["running", []])
    expect(await worker.complete(job, { tiles: 12 })).toBe("accepted")
    expect(await worker.get(id)).toMatchObject({ status: "COMPLETED", variables: { tiles: 12 } })
  })

  test("B-11: a step that is running or completed is not executed again; a second word on it is told so, and changes nothing", async () => {
    await define("done", ["first", "second"])
    const { id, job } = await begin("done")
    expect(await other.claim(["done-first"])).toEqual([])
    expect(await worker.complete(job, { n: 1 })).toBe("accepted")
    expect(await other.claim(["done-first"])).toEqual([])
    // The same word once more is only a lost answer; any other is too late.
    expect(await worker.complete(job, { n: 2 })).toBe("accepted")
    expect(await worker.fail(job, "no")).toBe("stale")
    const forged = { ...job, leaseToken: job.leaseToken.replace(/^1\./, "2.") }
    expect(await other.complete(forged, { n: 3 })).toBe("stale")
    expect(await steps(id)).toMatchObject([
      { name: "done-first", status: "completed" },
      { name: "done-second", status: "queued" },
    ])
    expect((await worker.get(id)).variables).toEqual({ n: 1 })
  })
})

describe("one transaction", () => {
  test("F01, B-X7, B-10: a crash while a workflow starts leaves neither a workflow nor an item", async () => {
    await define("torn-start", ["only"])
    const instances = await countRows(engine.db, "instances")
    await rows(CRASH("millrace.jobs for each row"))
    await expect(worker.start("torn-start")).rejects.toThrow()
    await rows(HEAL)
    expect(await countRows(engine.db, "instances")).toBe(instances)
    expect(await worker.claim(["torn-start-only"])).toEqual([])
  })

  test("B-X7, B-04: a crash between the end of a step and the enqueueing of the next leaves the step running, to be told again", async () => {
    await define("torn", ["first", "second"])
    const { id, job } = await begin("torn")
    await rows(CRASH("millrace.jobs for each row when (new.step_id = 'torn-second')"))
    await expect(worker.complete(job, { tiles: 12 })).rejects.toThrow()
    await rows(HEAL)
    expect(await steps(id)).toEqual([{ name: "torn-first", status: "running", retry_count: 0 }])
    expect((await worker.get(id)).variables).toEqual({})
    expect(await worker.complete(job, { tiles: 12 })).toBe("accepted")
    expect(await steps(id)).toMatchObject([
      { name: "torn-first", status: "completed" },
      { name: "torn-second", status: "queued" },
    ])
    expect(await queued(id)).toMatchObject([{ step_id: "torn-second", retry_count: 0 }])
    const next = await worker.claimOne("torn-second")
    expect(JSON.parse(next.variables)).toEqual({ tiles: 12 })
  })
})

describe("retries", () => {
  test("B-X2, B-X3, B-07: a step that is tried again is found again, and not before 1, 2 and 4 minutes have passed", async () => {
    await define("backoff", ["only"], MINUTES)
    let { id, job } = await begin("backoff")
    for (const minutes of [1, 2, 4]) {
      await worker.fail(job, "the GPU is busy")
      expect([await statusOf(id), await queued(id)]).toEqual(["pending", []])
      await pass(minutes * MINUTE_MS - 1_000)
      expect(await worker.claim(["backoff-only"])).toEqual([])
      await pass(1_000)
      expect([await statusOf(id), await queued(id)]).toMatchObject(["queued", [{ workflow_id: id }]])
      job = await worker.claimOne("backoff-only")
    }
    expect(job).toMatchObject({ instanceId: id, attempt: 4, retriesRemaining: 0 })
    expect(await worker.complete(job)).toBe("accepted")
    expect(await statusOf(id)).toBe("completed")
  })

  test("B-X8, B-17: item, step, worker and dead letter tell the same number of retries at every moment", async () => {
    await define("counted", ["only"], MINUTES)
    let { id, job } = await begin("counted")
    for (let retries = 0; ; retries++) {
      expect(await steps(id)).toEqual([{ name: "counted-only", status: "running", retry_count: retries }])
      expect([3 - job.retriesRemaining, job.attempt - 1]).toEqual([retries, retries])
      await worker.fail(job, "no tiles")
      if (retries === 3) break
      expect(await steps(id)).toMatchObject([{ status: "pending", retry_count: retries + 1 }])
      await pass(4 * MINUTE_MS)
      expect(await queued(id)).toMatchObject([{ retry_count: retries + 1 }])
      job = await worker.claimOne("counted-only")
    }
    const [step] = await rows(
      `select status, retry_count, error_message from millrace_views.workflow_step where workflow_id = '${id}'`,
    )
    expect(step).toEqual({ status: "failed", retry_count: 3, error_message: "no tiles (after 3 retries)" })
    const dead = await rows(
      `select step_id, error, retry_count from millrace_views.dead_letter_queue_item where workflow_id = '${id}'`,
    )
    expect(dead).toEqual([{ step_id: "counted-only", error: "no tiles", retry_count: 3 }])
  })

  test("B-X8: a worker that was lost is no retry, in none of the counts", async () => {
    await define("lost", ["only"], MINUTES)
    const { id } = await begin("lost")
    await engine.advanceClock(LEASE_MS + 1)
    await sweepAll(engine.kernel)
    expect(await queued(id)).toMatchObject([{ retry_count: 0 }])
    expect(await worker.claimOne("lost-only")).toMatchObject({ retriesRemaining: 3, attempt: 2 })
    expect(await steps(id)).toMatchObject([{ status: "running", retry_count: 0 }])
  })
})

describe("a crash", () => {
  test("F19, B-X5, B-T6: a step whose worker is gone is queued again when its lease ends, and runs to its end once", async () => {
    await define("orphan", ["first", "second"])
    const { id, job } = await begin("orphan")
    await engine.advanceClock(LEASE_MS - 1_000)
    await sweepAll(engine.kernel)
    expect([await statusOf(id), await queued(id)]).toEqual(["running", []])
    await engine.advanceClock(1_001)
    await sweepAll(engine.kernel)
    expect([await statusOf(id), await queued(id)]).toMatchObject(["queued", [{ step_id: "orphan-first" }]])
    const again = await other.claimOne("orphan-first")
    expect(again).toMatchObject({ instanceId: id, attempt: 2, idempotencyKey: job.idempotencyKey })
    expect(await worker.complete(job, { by: "w1" })).toBe("stale")
    expect(await other.complete(again, { by: "w2" })).toBe("accepted")
    expect(await steps(id)).toMatchObject([
      { name: "orphan-first", status: "completed" },
      { name: "orphan-second", status: "queued" },
    ])
    expect((await worker.get(id)).variables).toEqual({ by: "w2" })
  })

  test("B-X5: a worker that is slow but alive keeps its step", async () => {
    await define("slow", ["only"])
    const { id, job } = await begin("slow")
    const beat = { jobId: job.id, workerId: "w1", token: parseToken(job.leaseToken), leaseMs: LEASE_MS }
    for (let n = 0; n < 20; n++) {
      await engine.advanceClock(LEASE_MS / 2)
      await heartbeatJob(engine.kernel, beat)
      await sweepAll(engine.kernel)
    }
    expect(await statusOf(id)).toBe("running")
    expect(await worker.complete(job)).toBe("accepted")
  })
})

test("B-02: the processor that a schedule runs has 300 s, heartbeats or not, and is tried again a minute later", async () => {
  const { kernel } = engine
  await setJobType(kernel, { actor: "ada" }, { name: "refresh", timeoutMs: 300_000 })
  await putSchedule(
    kernel,
    { id: "refresh", cron: "* * * * *", jobType: "refresh" },
    { actor: "ada", reach: EVERYTHING },
  )
  const { nextAt = "" } = await getSchedule(kernel, "refresh")
  await engine.advanceClock(Date.parse(nextAt) - kernel.clock.nowMs() + 5)
  await fireSchedules(kernel, noTerm)
  const [run] = (await listScheduleRuns(kernel, "refresh", { pageSize: 1 })).items
  const job = await worker.claimOne("refresh", LEASE_MS)
  expect(job).toMatchObject({ id: run?.workId, runMs: 300_000 })
  const beat = { jobId: job.id, workerId: "w1", token: parseToken(job.leaseToken), leaseMs: LEASE_MS }
  for (let second = 20; second <= 280; second += 20) {
    await engine.advanceClock(20_000)
    await heartbeatJob(kernel, beat)
    await sweepAll(kernel)
    expect(await getJob(kernel, job.id)).toMatchObject({ status: "RUNNING" })
  }
  await engine.advanceClock(20_001)
  await sweepAll(kernel)
  const ended = await getJob(kernel, job.id)
  expect(ended).toMatchObject({ status: "PENDING", retryCount: 1, error: expect.stringContaining("timed out") })
  expect(Math.round(((ended.visibleAt ?? 0) - kernel.clock.nowMs()) / MINUTE_MS)).toBe(1)
})

test("B-07, B-05: a requeued step has a fresh queued_at, and comes behind those that were queued meanwhile", async () => {
  await define("fresh", ["one"], { retryCount: 3 })
  const first = await worker.start("fresh")
  const job = await worker.claimOne("fresh-one")
  await engine.advanceClock(10_000)
  const second = await worker.start("fresh")
  await engine.advanceClock(10_000)
  await worker.fail(job, "not now")
  const shown = await rows(
    "select workflow_id from millrace_views.queue_item where step_id = 'fresh-one' order by queued_at",
  )
  expect(shown.map((row) => row.workflow_id)).toEqual([second, first])
  expect((await worker.claim(["fresh-one"])).map((claimed) => claimed.instanceId)).toEqual([second, first])
})
