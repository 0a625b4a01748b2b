// Faults that the queue has had, or could have: each would lose, hide or hand out a job that it must not.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callersTransaction } from "../../../db/callers-transaction.ts"
import { callers } from "../../../test-support/callers.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { setDownstream } from "../../flow/change-downstreams.ts"
import { gatesOf } from "../../flow/gates.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import { digestOf } from "../../kernel/idempotency.ts"
import { claimJobs } from "../claim/claim-jobs.ts"
import { wakeupsOf } from "../claim/wakeups.ts"
import { type EnqueueRequest, enqueueJob } from "./enqueue-job.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  worker = drive(engine.kernel)
})
afterAll(() => engine.close())

const requestOf = (jobType: string, more: Partial<EnqueueRequest> = {}): EnqueueRequest => ({
  jobType,
  payload: {},
  whenFull: "absorb",
  actor: "local",
  ...more,
})
const enqueue = (jobType: string, more: Partial<EnqueueRequest> = {}) =>
  enqueueJob(engine.kernel, requestOf(jobType, more))

const declare = (name: string, column: string, value: number) =>
  setDownstream(
    engine.kernel,
    { actor: "ann" },
    { name, perSecond: null, concurrency: null, adaptive: false, [column]: value },
  )

describe("a claim", () => {
  test("an empty queue takes nothing of what a full one at the same downstream may have", async () => {
    await declare("shared", "concurrency", 2)
    await enqueue("empty-first", { downstream: "shared" })
    await worker.complete(await worker.claimOne("empty-first"))
    for (let n = 0; n < 5; n++) await enqueue("full-second", { downstream: "shared" })
    expect(await worker.claim(["empty-first", "full-second"], 10)).toHaveLength(2)
  })

  test("rows that others hold in front of two queues do not hide those behind them", async () => {
    for (let n = 0; n < 40; n++) await enqueue(n % 2 ? "hidden-p" : "hidden-q")
    const other = await engine.db.dedicated()
    await other.query(
      `begin; select from millrace.jobs where step_id in ('hidden-p', 'hidden-q') order by seq limit 20 for update`,
    )
    expect(await worker.claim(["hidden-p", "hidden-q"], 10)).toHaveLength(10)
    await other.query("rollback")
    other.release()
  })

  test("a fair queue with one key short and one long fills it, and is not taken for empty", async () => {
    await enqueue("skewed", { fairKey: "a" })
    for (let n = 0; n < 50; n++) await enqueue("skewed", { fairKey: "b" })
    expect(await worker.claim(["skewed"], 10)).toHaveLength(10)
    expect(await worker.claim(["skewed"], 100)).toHaveLength(41)
  })

  test("that fails in a later round keeps what it has leased", async () => {
    await enqueue("half", { priority: "critical" })
    await enqueue("half", { fairKey: "broken" })
    await engine.db.script("alter function millrace.next_fair rename to next_unfair")
    expect(await worker.claim(["half"], 5)).toHaveLength(1)
    await engine.db.script("alter function millrace.next_unfair rename to next_fair")
  })

  test("that waits is not handed a job of a downstream with a pace: it is claimed, and counted", async () => {
    await declare("counted", "concurrency", 1)
    await enqueue("paced", { downstream: "counted" })
    const first = await worker.claimOne("paced")
    const waiting = claimJobs(engine.kernel, { workerId: "w", jobTypes: ["paced"], maxJobs: 1, waitMs: 10_000 })
    await expect.poll(() => wakeupsOf(engine.kernel).waitingFor()).toContain("paced")
    const { job } = await enqueue("paced", { downstream: "counted" })
    const [row] = await engine.db.script(`select status from millrace.jobs where instance_id = '${job.id}'`)
    expect(row).toEqual({ status: "ready" })
    await worker.complete(first)
    expect(await waiting).toMatchObject([{ id: job.id }])
  })
})

describe("keys and windows", () => {
  test("a key is looked at before the window: a repeat is a repeat within it, and takes none after it", async () => {
    const request = { key: "k", unique: { key: "u", forMs: 60_000, mode: "refuse" } } as const
    const { job } = await enqueue("both", request)
    expect(await enqueue("both", request)).toMatchObject({ isRepeat: true, job: { id: job.id } })
    await engine.advanceClock(61_000)
    expect(await enqueue("both", request)).toMatchObject({ isRepeat: true, job: { id: job.id } })
    expect(await enqueue("both", { ...request, key: "other" })).toMatchObject({ isRepeat: false })
  })

  test("a debounce is answered with what it said, and moves the window with it", async () => {
    const say = (n: number) =>
      enqueue("moved", { payload: { n }, unique: { key: "u", forMs: 10_000, mode: "debounce" } })
    await say(1)
    await engine.advanceClock(9_000)
    expect((await say(2)).job.payload).toBe('{"n":2}')
    await engine.advanceClock(9_000)
    const third = await say(3)
    expect(third.isRepeat).toBe(true)
    await engine.advanceClock(10_001)
    await releaseJobs(engine.kernel, noTerm)
    expect(await worker.claim(["moved"])).toMatchObject([{ variables: '{"n": 3}' }])
  })

  test("what is said by default is the same as what is said in words", async () => {
    const { job } = await enqueue("words", { key: "w" })
    expect(await enqueue("words", { key: "w", priority: "normal" })).toMatchObject({
      isRepeat: true,
      job: { id: job.id },
    })
    await expect(enqueue("words", { key: "w", retry: "minutes" })).rejects.toMatchObject({
      code: "idempotency-mismatch",
    })
  })

  test("S3, S21: a request that was refused may be sent again with its key, and is then really taken", async () => {
    await engine.db.script("update millrace.gates set high = 1, low = 0, live = 5 where name = 'critical'")
    const requestKey = { scope: "POST /jobs", key: "again", digest: digestOf({}) }
    const request = { priority: "critical", whenFull: "refuse", requestKey } as const
    await expect(enqueue("gated", request)).rejects.toMatchObject({ code: "backpressure" })
    await engine.db.script(
      "update millrace.gates set high = null, low = null, live = 0, shut = false where name = 'critical'",
    )
    gatesOf(engine.kernel).heardAll([])
    const { job, isRepeat } = await enqueue("gated", request)
    expect(isRepeat).toBe(false)
    expect(await worker.claimOne("gated")).toMatchObject({ id: job.id })
  })
})

describe("limits", () => {
  test("a job in a caller's transaction is let go by the releaser, soon after the commit", async () => {
    const caller = callers.pg?.(engine.dsn)
    await caller?.transaction((tx) =>
      callersTransaction(engine.kernel.db, tx, (own) =>
        enqueueJob(engine.kernel, requestOf("from-outside", { limit: { key: "outside", max: 1 } }), own),
      ),
    )
    await caller?.close()
    await engine.advanceClock(1_000)
    await releaseJobs(engine.kernel, noTerm)
    expect(await worker.claim(["from-outside"])).toHaveLength(1)
  })

  test("a replay does not bring an old limit back", async () => {
    await enqueue("raised", { limit: { key: "raised", max: 5 } })
    await enqueue("raised", { limit: { key: "raised", max: 1 }, replayOf: "01K0000000000000000000000A" })
    expect(await engine.db.script("select max from millrace.limits where key = 'raised'")).toEqual([{ max: 5 }])
  })
})

test("F62: thousands of failures of one type come back within its budget, and not all at once", async () => {
  const size = 300
  for (let n = 0; n < size; n++)
    await enqueue("storm", { retry: { retries: 3, baseMs: 0, factor: 1, capMs: 0, jitter: "none" } })
  const jobs = await worker.claim(["storm"], size)
  await Promise.all(jobs.map((job) => worker.fail(job, "down")))
  const [row] = await engine.db.script(
    "select count(*) filter (where status = 'ready' or visible_at < (select millrace.clock()) + interval '1 s')::int as soon from millrace.jobs where step_id = 'storm'",
  )
  expect(row?.soon).toBeLessThanOrEqual(60)
})
