// Standalone jobs on real PostgreSQL: from the call that takes one in to its record.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { declareJobType } from "../../flow/declare-job-type.ts"
import { gatesOf } from "../../flow/gates.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import { digestOf } from "../../kernel/idempotency.ts"
import { claimJobs } from "../claim/claim-jobs.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { wakeupsOf } from "../claim/wakeups.ts"
import { cancelJob } from "../end/cancel-job.ts"
import { Downtime, downtimeOf } from "../end/downtime.ts"
import { getJob } from "../read-jobs.ts"
import { type EnqueueRequest, enqueueJob } from "./enqueue-job.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const enqueue = async (jobType: string, more: Partial<EnqueueRequest> = {}): Promise<string> => {
  const request = { jobType, payload: { n: 1 }, whenFull: "refuse" as const, actor: "local", ...more }
  return (await enqueueJob(engine.kernel, request)).job.id
}
const worker = () => drive(engine.kernel)
const rows = (text: string) => engine.db.script(text)
const live = async () => {
  const [row] = await rows(
    `select coalesce((select sum(live) from millrace.depths), 0)::int + coalesce((select sum(delta) from millrace.depth_deltas), 0)::int as counted,
       (select count(*)::int from millrace.jobs) as there`,
  )
  return row
}

describe("a job's life", () => {
  test("D-01, D-11: PENDING, RUNNING, COMPLETED; no instance, no audit, one record", async () => {
    const id = await enqueue("mail", { payload: { to: "a@b.c" }, priority: "high" })
    expect(await getJob(engine.kernel, id)).toMatchObject({
      status: "PENDING",
      priority: "high",
      payload: '{"to": "a@b.c"}',
    })
    const [job] = await worker().claim(["mail"])
    expect(job).toMatchObject({
      id,
      jobType: "mail",
      instanceId: "",
      stepId: "",
      stepExecutionId: "",
      variables: '{"to": "a@b.c"}',
      attempt: 1,
    })
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "RUNNING", workerId: "w1" })
    expect(await worker().complete(job as never, { sent: true })).toBe("accepted")
    expect(await getJob(engine.kernel, id)).toMatchObject({
      status: "COMPLETED",
      result: '{"sent":true}',
      retryCount: 0,
      error: null,
    })
    expect(await rows(`select from millrace.instances where id = '${id}'`)).toEqual([])
    expect(await rows(`select from millrace.trail where instance_id = '${id}'`)).toEqual([])
    expect(await rows(`select status from millrace_views.jobs where id = '${id}'`)).toEqual([{ status: "COMPLETED" }])
  })

  test("D-X2, D-T7: a failed attempt makes it PENDING again, with the error and a count; it is RUNNING when it runs again", async () => {
    const id = await enqueue("flaky")
    const job = await worker().claimOne("flaky")
    expect(await worker().fail(job, "no luck")).toBe("accepted")
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "PENDING", retryCount: 1, error: "no luck" })
    await engine.advanceClock(61_000)
    await releaseJobs(engine.kernel, noTerm)
    const again = await worker().claimOne("flaky")
    expect(again).toMatchObject({ id, attempt: 2, retriesRemaining: 4 })
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "RUNNING", retryCount: 1 })
    await worker().complete(again)
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "COMPLETED", retryCount: 1, error: null })
  })

  test("D-21: out of retries it is FAILED and a dead letter, with all that a replay needs", async () => {
    const id = await enqueue("doomed", { retries: 1, payload: { x: 1 } })
    await worker().fail(await worker().claimOne("doomed"), "first")
    await engine.advanceClock(61_000)
    await releaseJobs(engine.kernel, noTerm)
    await worker().fail(await worker().claimOne("doomed"), "second")
    expect(await getJob(engine.kernel, id)).toMatchObject({
      status: "FAILED",
      retryCount: 1,
      error: "second (after 1 retry)",
    })
    expect(
      await rows(
        `select source, reason, error, attempts, retry_count, payload from millrace.dead_letters where instance_id = '${id}'`,
      ),
    ).toEqual([
      {
        source: "job",
        reason: "exhausted",
        error: "second (after 1 retry)",
        attempts: 2,
        retry_count: 1,
        payload: '{"x": 1}',
      },
    ])
  })

  test("B-13, B-T3: what cannot be helped by another try is dead at once", async () => {
    const id = await enqueue("invalid")
    await worker().fail(await worker().claimOne("invalid"), "not an address", false)
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "FAILED", error: "not an address" })
  })

  test("F14, D-32, D-T2, D-T1: a silent worker is a lost attempt by heartbeat timeout; the third too many is a poison pill", async () => {
    const id = await enqueue("zombie")
    for (const attempt of [1, 2, 3, 4]) {
      expect(await worker().claimOne("zombie", 1_000)).toMatchObject({ id, attempt })
      await engine.advanceClock(2_000)
      await sweepAll(engine.kernel)
    }
    const attempts = await rows(
      `select outcome, error from millrace.attempts where instance_id = '${id}' order by epoch`,
    )
    expect(attempts).toEqual(Array(4).fill({ outcome: "lost", error: "heartbeat timeout" }))
    expect(await getJob(engine.kernel, id)).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("poison pill"),
    })
  })

  test("D-T11, D-X6: a heartbeat keeps a lease, by as much as the claim gave", async () => {
    const id = await enqueue("beating", { timeoutMs: 600_000 })
    const [job] = await claimJobs(engine.kernel, { workerId: "w1", jobTypes: ["beating"], maxJobs: 1, waitMs: 0 })
    for (let n = 0; n < 3; n++) {
      await engine.advanceClock(100_000)
      await heartbeatJob(engine.kernel, { jobId: id, workerId: "w1", token: undefined })
      await sweepAll(engine.kernel)
    }
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "RUNNING" })
    expect(await worker().complete(job as never)).toBe("accepted")
  })

  test.each([
    ["critical", 30],
    ["high", 60],
    ["normal", 120],
  ] as const)("D-31, D-T13: a %s job is leased for %i s", async (priority, seconds) => {
    const id = await enqueue(`lease-${priority}`, { priority, timeoutMs: 3_600_000 })
    await claimJobs(engine.kernel, { workerId: "w1", jobTypes: [`lease-${priority}`], maxJobs: 1, waitMs: 0 })
    const [row] = await rows(
      `select extract(epoch from lease_until - claimed_at)::int as seconds from millrace.jobs where instance_id = '${id}'`,
    )
    expect(row).toEqual({ seconds })
  })

  test("a cancelled job ends, and its holder's report no longer counts", async () => {
    const id = await enqueue("unwanted")
    const job = await worker().claimOne("unwanted")
    await cancelJob(engine.kernel, { id, reason: "changed my mind", actor: "ann" })
    expect(await getJob(engine.kernel, id)).toMatchObject({
      status: "CANCELLED",
      error: "cancelled by ann: changed my mind",
    })
    expect(await worker().complete(job)).toBe("stale")
  })

  test("S20: after all that the counters tell what there is", async () => {
    const row = await live()
    expect(row?.counted).toBe(row?.there)
  })
})

describe("keys and windows", () => {
  test("F68: of 50 with one key there is one job, and all are told of it; another body is refused", async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => enqueue("keyed", { key: "order-1" })))
    expect(new Set(all).size).toBe(1)
    await expect(enqueue("keyed", { key: "order-1", payload: { n: 2 } })).rejects.toMatchObject({
      code: "idempotency-mismatch",
    })
    expect(await rows("select from millrace.jobs where step_id = 'keyed'")).toHaveLength(1)
  })

  test("F68: a key that was used otherwise says what differs: the payload, or what else was said", async () => {
    const id = await enqueue("differs", { key: "k", priority: "high" })
    const again = (more: Partial<EnqueueRequest>) => enqueue("differs", { key: "k", priority: "high", ...more })
    const message = (what: string) => ({ message: `key k was used for another job of this type: ${id}, ${what}` })
    await expect(again({ payload: { n: 2 } })).rejects.toMatchObject(message("which has another payload"))
    await expect(again({ retries: 2 })).rejects.toMatchObject(
      message("which has the same payload, and was enqueued with other options"),
    )
  })

  test("F68: what is said of the type meanwhile makes no other job of a repeat", async () => {
    const again = () => enqueue("declared", { key: "k" })
    const id = await again()
    for (const defaults of [
      { retries: 1, priority: "high" as const, downstream: "erp" },
      { retry: "minutes" as const },
    ]) {
      await declareJobType(engine.kernel, "declared", defaults)
      expect(await again()).toBe(id)
    }
  })

  test("F68: a key of before, whose fingerprint has the settings of the type, is honoured while these hold", async () => {
    await declareJobType(engine.kernel, "before", { retries: 1, priority: "high" })
    const id = await enqueue("before", { key: "k" })
    // All of what was compared then, by the names it had.
    const compared = { jobType: "before", content: { n: 1 }, priority: "high", retries: 1 }
    const unsaid = { delayMs: null, timeoutMs: null, retry: null, fairKey: null, limit: null, downstream: null }
    const digest = digestOf({ ...compared, ...unsaid }).toString("hex")
    await rows(`update millrace.job_keys set digest = '\\x${digest}' where job_id = '${id}'`)
    expect(await enqueue("before", { key: "k" })).toBe(id)
    await expect(enqueue("before", { key: "k", retries: 2 })).rejects.toMatchObject({ code: "idempotency-mismatch" })
  })

  test("S3: a request that used the key of another with another body does not take the key away from it", async () => {
    const requestKey = (n: number) => ({ scope: "POST /jobs", key: "taken", digest: digestOf({ n }) })
    const ask = (n: number) =>
      enqueueJob(engine.kernel, {
        jobType: "taken",
        payload: { n },
        whenFull: "refuse",
        actor: "a",
        requestKey: requestKey(n),
      })
    const first = await ask(1)
    await expect(ask(2)).rejects.toMatchObject({ code: "idempotency-mismatch" })
    expect(await ask(1)).toEqual({ job: first.job, isRepeat: true })
    expect(await rows("select from millrace.jobs where step_id = 'taken'")).toHaveLength(1)
  })

  test("a key is good for as long as the job's record", async () => {
    const id = await enqueue("kept", { key: "k" })
    await worker().complete(await worker().claimOne("kept"))
    expect(await enqueue("kept", { key: "k" })).toBe(id)
  })

  test("unique: a second one within the window is refused, after it there is room", async () => {
    const unique = { key: "report-7", forMs: 60_000, mode: "refuse" as const }
    const id = await enqueue("windowed", { unique })
    await expect(enqueue("windowed", { unique })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(id),
    })
    await engine.advanceClock(60_001)
    expect(await enqueue("windowed", { unique })).not.toBe(id)
  })

  test("unique, debounced: the last word counts, once the window has passed in peace", async () => {
    const say = (n: number) =>
      enqueue("bounced", { payload: { n }, unique: { key: "u", forMs: 10_000, mode: "debounce" } })
    const id = await say(1)
    await engine.advanceClock(8_000)
    expect(await say(2)).toBe(id)
    await engine.advanceClock(8_000)
    await releaseJobs(engine.kernel, noTerm)
    expect(await worker().claim(["bounced"])).toEqual([])
    await engine.advanceClock(2_001)
    await releaseJobs(engine.kernel, noTerm)
    const job = await worker().claimOne("bounced")
    expect(job).toMatchObject({ id, variables: '{"n": 2}' })
    expect(await say(3)).not.toBe(id)
  })

  test("unique, debounced and delayed: the later of both counts, and no other word makes it earlier", async () => {
    const minutes = (n: number) => n * 60_000
    const unique = { key: "u", forMs: minutes(10), mode: "debounce" as const }
    const say = (n: number, more: Partial<EnqueueRequest> = {}) =>
      enqueue("patient", { payload: { n }, unique, ...more })
    const claimable = async () => {
      await releaseJobs(engine.kernel, noTerm)
      return worker().claim(["patient"])
    }
    const id = await say(1, { delayMs: minutes(60) })
    await engine.advanceClock(minutes(40))
    expect(await say(2)).toBe(id)
    await engine.advanceClock(minutes(15))
    expect(await claimable()).toEqual([])
    expect(await say(3)).toBe(id)
    await engine.advanceClock(minutes(7))
    expect(await claimable()).toEqual([])
    await engine.advanceClock(minutes(3) + 1)
    expect(await claimable()).toMatchObject([{ id, variables: '{"n": 3}' }])
  })
})

describe("admission", () => {
  const setGate = (columns: string) => rows(`update millrace.gates set ${columns} where name = 'normal'`)

  test("D-12, D-13, D-T5, D-X3, S21, L5: at the high mark it is refused and leaves no trace; below the low mark it is taken again", async () => {
    const before = (
      await rows(
        "select count(*)::int as n from millrace.live_jobs j join millrace.queues q on q.id = j.queue_id where q.definition_id = '' and q.priority = 'normal'",
      )
    )[0]?.n as number
    await setGate(
      `high = ${before + 3}, low = ${before + 1}, live = (select coalesce(sum(d.live), 0) from millrace.depths d join millrace.queues q on q.id = d.queue_id where q.priority = 'normal' and q.definition_id = '')`,
    )
    const ids = [await enqueue("gated"), await enqueue("gated"), await enqueue("gated")]
    await expect(enqueue("gated", { key: "no-trace" })).rejects.toMatchObject({
      code: "backpressure",
      retryAfterSeconds: 5,
    })
    expect(await rows("select from millrace.job_keys where key = 'no-trace'")).toEqual([])
    expect(await rows("select from millrace.jobs where step_id = 'gated'")).toHaveLength(3)
    expect(await enqueue("gated", { priority: "critical" })).toBeTruthy()
    // F61, D-X4: work that was accepted is never refused.
    expect(await enqueue("gated", { whenFull: "absorb" })).toBeTruthy()
    for (const _ of ids) await worker().complete(await worker().claimOne("gated"))
    gatesOf(engine.kernel).heardAll([])
    await expect(enqueue("gated")).rejects.toMatchObject({ code: "backpressure" })
    for (let n = 0; n < 2; n++) await worker().complete(await worker().claimOne("gated"))
    gatesOf(engine.kernel).heardAll([])
    expect(await enqueue("gated")).toBeTruthy()
    await setGate("high = null, low = null, shut = false")
  })
})

describe("a waiting claim", () => {
  test("is given a new job in the transaction that makes it", async () => {
    const waiting = claimJobs(engine.kernel, { workerId: "w1", jobTypes: ["handed"], maxJobs: 1, waitMs: 60_000 })
    await expect.poll(() => wakeupsOf(engine.kernel).waitingFor()).toContain("handed")
    const id = await enqueue("handed", { priority: "high" })
    const [job] = await waiting
    expect(job).toMatchObject({ id, attempt: 1, priority: "high" })
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "RUNNING" })
    expect(await worker().complete(job as never)).toBe("accepted")
  })
})

describe("when nobody was there", () => {
  test("D-32: leases that ended while the engine was down are taken back and held against nobody", async () => {
    const downtime = new Downtime()
    downtimeOf(engine.kernel).covers = (leaseUntilMs) => downtime.covers(leaseUntilMs)
    const id = await enqueue("patient")
    for (let n = 0; n < 6; n++) {
      await worker().claimOne("patient", 1_000)
      await engine.advanceClock(60_000)
      downtime.observe(engine.kernel.clock.nowMs(), engine.kernel.clock.nowMs() - 59_500)
      await sweepAll(engine.kernel)
    }
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "PENDING" })
  })
})
