// Jobs that are pushed: claimed by the relay, published once it is written down, reported by workers that hold nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Transaction } from "../../../db/transaction.ts"
import { parseToken } from "../../../model/jobs/reports.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, unguarded } from "../../../test-support/loops.ts"
import { MemoryBroker, type Published } from "../../../test-support/memory-broker.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { setJobType } from "../../flow/change-job-types.ts"
import { pause, resume } from "../../flow/change-pauses.ts"
import { explainWaiting } from "../../instances/explain-waiting.ts"
import { getInstance } from "../../instances/read-instances.ts"
import { readHeldVariables } from "../claim/heartbeat-job.ts"
import type { ReportOutcome } from "../end/report.ts"
import { reportJob } from "../end/report-jobs.ts"
import { LeaseSweeper } from "../end/sweep-leases.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"
import { getJob } from "../read-jobs.ts"
import { beginDispatching } from "./begin-dispatching.ts"
import { dispatchingOf } from "./dispatching.ts"
import { jobRelayOf } from "./relay.ts"
import { watchConsumers } from "./watch-consumers.ts"

let engine: TestEngine
let broker: MemoryBroker

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.upload(workflow("two", [service("pick", "pack", { retryCount: 3 }), service("pack", "end"), end()]))
})
afterAll(() => engine.close())
beforeEach(async () => {
  await dispatchingOf(engine.kernel).close()
  await engine.db.script("delete from millrace.dispatches; delete from millrace.jobs")
  broker = new MemoryBroker(["pick", "pack", "alone"])
  engine.kernel.metrics.registry.clear()
  await beginDispatching(engine.kernel, { broker, batchMax: 200, leads: true })
})

/** As the leader does, until there is nothing more. */
async function relay(): Promise<void> {
  while (await jobRelayOf(engine.kernel).round(unguarded));
}
const watch = () => watchConsumers(engine.kernel, unguarded)
async function sweep(): Promise<void> {
  const sweeper = new LeaseSweeper(engine.kernel)
  while (await sweeper.sweep(unguarded));
}
const last = (jobType: string): Published => broker.messages(jobType).at(-1) as Published
const rows = (sql: string) => engine.db.script(sql)
const dispatches = () => rows("select job_type, log_offset from millrace.dispatches order by dedup_id")

const report = ({ job }: Published, verb: "complete" | "fail", more: object = {}): Promise<ReportOutcome> => {
  const base = { jobId: job.id, workerId: "any", token: undefined, actor: "any" }
  return verb === "complete"
    ? reportJob(engine.kernel, { ...base, verb, variables: {}, ...more })
    : reportJob(engine.kernel, { ...base, verb, message: "boom", retryable: true, retryAfterMs: 0, ...more })
}

describe("a dispatch", () => {
  test("W-03, C-96: a worker without a token completes it, and the next job is dispatched", async () => {
    const id = await drive(engine.kernel).start("two", { n: 1 })
    await relay()
    expect(broker.messages("pick")).toMatchObject([{ job: { instanceId: id, attempt: 1 }, offset: 0 }])
    expect(await report(last("pick"), "complete", { variables: { picked: true } })).toBe("accepted")
    await relay()
    expect(JSON.parse(last("pack").job.variables)).toEqual({ n: 1, picked: true })
    expect(await report(last("pack"), "complete")).toBe("accepted")
    expect((await getInstance(engine.kernel, id)).status).toBe("COMPLETED")
    expect(await report(last("pack"), "complete")).toBe("accepted")
    expect(await report(last("pick"), "fail", { retryable: false })).toBe("stale")
  })

  test("W-03: with the token of another dispatch a report changes nothing", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    const { epoch } = parseToken(last("pick").job.leaseToken) ?? { epoch: 0 }
    const token = { epoch, nonce: "00000000-0000-4000-8000-000000000000" }
    expect(await report(last("pick"), "complete", { token })).toBe("stale")
    expect(await report(last("pick"), "complete", { token: parseToken(last("pick").job.leaseToken) })).toBe("accepted")
  })

  test("W-23: a standalone job of a type with a topic is dispatched, one without is claimed", async () => {
    const enqueue = (jobType: string) =>
      enqueueJob(engine.kernel, { jobType, payload: { a: 1 }, whenFull: "absorb", actor: "local" })
    const { job } = await enqueue("alone")
    await enqueue("unpushed")
    await relay()
    expect(last("alone").job).toMatchObject({ id: job.id, instanceId: "" })
    expect(await drive(engine.kernel).claim(["unpushed"])).toHaveLength(1)
    expect(await report(last("alone"), "complete")).toBe("accepted")
    expect((await getJob(engine.kernel, job.id)).status).toBe("COMPLETED")
  })

  test("W-23: what is paused is not published until the pause ends", async () => {
    const target = { kind: "jobType", name: "pick" } as const
    await pause(engine.kernel, { actor: "ann" }, { ...target, reason: undefined })
    await drive(engine.kernel).start("two")
    await relay()
    expect(broker.messages("pick")).toEqual([])
    await resume(engine.kernel, { actor: "ann" }, target)
    await relay()
    expect(broker.messages("pick")).toHaveLength(1)
  })

  test("W-21: a retry has a new dedup id and what is left of the retries", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    const first = last("pick")
    expect(await report(first, "fail")).toBe("accepted")
    await relay()
    expect(broker.messages("pick")).toHaveLength(2)
    expect(last("pick").dedupId).not.toBe(first.dedupId)
    expect(last("pick").job.retriesRemaining).toBe(first.job.retriesRemaining - 1)
  })
})

describe("C-90: the seam", () => {
  const enqueue = (tx?: Transaction) =>
    enqueueJob(engine.kernel, { jobType: "alone", payload: {}, whenFull: "absorb", actor: "local" }, tx)

  test("what a transaction takes back leaves no row and no message; what it commits is dispatched once", async () => {
    const takenBack = engine.db.transaction(async (tx) => {
      await enqueue(tx)
      throw new Error("taken back")
    })
    await expect(takenBack).rejects.toThrow("taken back")
    await relay()
    expect([await dispatches(), broker.messages("alone")]).toEqual([[], []])
    const { job } = await engine.db.transaction((tx) => enqueue(tx))
    await relay()
    expect(broker.messages("alone").map((one) => one.job.id)).toEqual([job.id])
    expect(await dispatches()).toEqual([{ job_type: "alone", log_offset: 0 }])
  })

  test("jobs are made while no broker answers: none is asked", async () => {
    broker.isAway = true
    const id = await drive(engine.kernel).start("two")
    await enqueue()
    expect((await getInstance(engine.kernel, id)).status).toBe("ACTIVE")
    expect(await rows("select status from millrace.jobs")).toEqual([{ status: "ready" }, { status: "ready" }])
    expect(await dispatches()).toEqual([])
  })
})

describe("why it waits", () => {
  test("C-124: published at a place, then read and not reported since", async () => {
    const id = await drive(engine.kernel).start("two")
    await relay()
    expect(await explainWaiting(engine.kernel, id)).toMatchObject([
      { kind: "job-dispatched", detail: { topic: "workflow.jobs.pick", partition: 0, offset: 0 } },
    ])
    broker.commit("pick")
    await watch()
    expect(await explainWaiting(engine.kernel, id)).toMatchObject([
      { kind: "job-dispatched", detail: { leasedUntil: expect.any(String) } },
    ])
  })
})

describe("a failure that is reported twice", () => {
  test("W-22: spends one retry while its message is in the topic, also when the retry is on its way", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    const first = last("pick")
    await report(first, "fail")
    await relay()
    const second = last("pick")
    await report(first, "fail")
    expect(await rows("select retries_left, status from millrace.jobs")).toEqual([
      { retries_left: second.job.retriesRemaining, status: "leased" },
    ])
    broker.commit("pick", 1)
    await report(second, "fail")
    expect(await rows("select retries_left from millrace.jobs")).toEqual([
      { retries_left: second.job.retriesRemaining - 1 },
    ])
  })
})

describe("consumers", () => {
  test("C-102: a job whose message is in the topic waits for them, however long", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    for (let lease = 0; lease < 10; lease++) {
      await watch()
      await engine.advanceClock(31_000)
      await sweep()
      await relay()
    }
    expect(broker.messages("pick")).toHaveLength(1)
  })

  test("C-102: one that they have passed is dispatched again after a lease without a report", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    broker.commit("pick")
    await watch()
    expect(await dispatches()).toEqual([])
    await sweep()
    await relay()
    expect(broker.messages("pick")).toHaveLength(1)
    await engine.advanceClock(31_000)
    await sweep()
    await relay()
    const [first, second] = broker.messages("pick")
    expect(second?.dedupId).not.toBe(first?.dedupId)
    expect(await report(first as Published, "complete")).toBe("accepted")
  })

  test("C-102: messages of a topic that was made anew are dispatched again, once a lease", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    broker.create("pick")
    for (let look = 0; look < 3; look++) {
      expect(await rows("select status from millrace.jobs")).toEqual([{ status: "leased" }])
      await watch()
    }
    await relay()
    expect(broker.messages("pick")).toEqual([])
    expect(await rows("select status from millrace.jobs")).toEqual([{ status: "held" }])
    expect(await dispatches()).toEqual([])
  })

  test("C-102: a group that is beyond the end of its topic is believed nothing", async () => {
    await drive(engine.kernel).start("two")
    await relay()
    broker.commit("pick", 100)
    await watch()
    await engine.advanceClock(31_000)
    await sweep()
    await relay()
    expect(broker.messages("pick")).toHaveLength(1)
    expect(await engine.kernel.metrics.registry.metrics()).toContain("workflow_engine_dispatch_unusable_offsets 1")
  })
})

describe("a broker", () => {
  test("C-101: what it did not acknowledge is published later under the same dedup ids, each once", async () => {
    broker.isAway = true
    for (let n = 0; n < 25; n++) await drive(engine.kernel).start("two")
    await relay()
    const waiting = await rows("select dedup_id from millrace.dispatches order by dedup_id")
    expect(waiting).toHaveLength(25)
    broker.isAway = false
    await expect.poll(() => relay().then(() => broker.messages("pick").length)).toBe(25)
    expect(broker.messages("pick").map(({ dedupId }) => ({ dedup_id: dedupId }))).toEqual(waiting)
  })

  test("W-21: an answer that was lost brings the same message again", async () => {
    broker.fault = () => "lose-answer"
    await drive(engine.kernel).start("two")
    await relay()
    broker.fault = () => undefined
    await expect.poll(() => relay().then(() => broker.messages("pick").length)).toBe(2)
    const [first, second] = broker.messages("pick")
    expect(second?.dedupId).toBe(first?.dedupId)
    expect(second?.job.leaseToken).toBe(first?.job.leaseToken)
  })

  test("W-25: a message that is too large fails its instance with the reason", async () => {
    broker.fault = () => ({ kind: "too-large", reason: "it is larger than the topic takes" })
    const id = await drive(engine.kernel).start("two")
    await relay()
    expect(await getInstance(engine.kernel, id)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("do not fit into a message of workflow.jobs.pick"),
    })
    expect(await dispatches()).toEqual([])
  })

  test("W-25: where the job type says so, the worker is told to ask for the variables", async () => {
    const say = (largePayload: "reference" | null) =>
      setJobType(engine.kernel, { actor: "ann" }, { name: "pick", timeoutMs: null, largePayload })
    await say("reference")
    broker.fault = ({ byReference }) => (byReference ? undefined : { kind: "too-large", reason: "it is too large" })
    const id = await drive(engine.kernel).start("two", { n: 1 })
    await expect.poll(() => relay().then(() => broker.messages("pick").length)).toBe(1)
    expect(last("pick")).toMatchObject({ byReference: true, job: { instanceId: id } })
    expect(JSON.parse(await readHeldVariables(engine.kernel, last("pick").job.id))).toEqual({ n: 1 })
    expect(await report(last("pick"), "complete")).toBe("accepted")
    await expect(readHeldVariables(engine.kernel, last("pick").job.id)).rejects.toThrow("is lost")
    await say(null)
  })

  test("C-95: a topic that is gone keeps its jobs back, and they are published once it is there", async () => {
    broker.fault = () => ({ kind: "no-topic", reason: "the topic does not exist" })
    await drive(engine.kernel).start("two")
    await relay()
    expect(await rows("select status, held_reason from millrace.jobs")).toEqual([
      { status: "held", held_reason: "the topic does not exist" },
    ])
    expect(await dispatches()).toEqual([])
  })
})
