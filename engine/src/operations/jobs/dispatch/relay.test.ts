// Jobs that are pushed: claimed by the relay, published once it is written down, reported by workers that hold nothing.
import { describe, expect, test } from "vitest"
import type { Transaction } from "../../../db/transaction.ts"
import { parseToken } from "../../../model/jobs/reports.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { dispatchBench } from "../../../test-support/dispatch-bench.ts"
import { drive } from "../../../test-support/drive.ts"
import { noTerm } from "../../../test-support/loops.ts"
import type { Published } from "../../../test-support/memory-broker.ts"
import { setJobType } from "../../flow/change-job-types.ts"
import { pause, resume } from "../../flow/change-pauses.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import { explainWaiting } from "../../instances/explain-waiting.ts"
import { getInstance } from "../../instances/read-instances.ts"
import { readHeldVariables } from "../claim/heartbeat-job.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"
import { getJob } from "../read-jobs.ts"

const bench = dispatchBench(
  ["pick", "pack", "alone"],
  workflow("two", [service("pick", "pack", { retryCount: 3 }), service("pack", "end"), end()]),
)
const { relay, report, rows, watch } = bench
const last = (jobType: string): Published => bench.broker.messages(jobType).at(-1) as Published
const dispatches = () => rows("select job_type, log_offset from millrace.dispatches order by dedup_id")

describe("a dispatch", () => {
  test("W-03, C-96: a worker without a token completes it, and the next job is dispatched", async () => {
    const id = await drive(bench.engine.kernel).start("two", { n: 1 })
    await relay()
    expect(bench.broker.messages("pick")).toMatchObject([{ job: { instanceId: id, attempt: 1 }, offset: 0 }])
    expect(await report(last("pick"), "complete", { variables: { picked: true } })).toBe("accepted")
    await relay()
    expect(JSON.parse(last("pack").job.variables)).toEqual({ n: 1, picked: true })
    expect(await report(last("pack"), "complete")).toBe("accepted")
    expect((await getInstance(bench.engine.kernel, id)).status).toBe("COMPLETED")
    expect(await report(last("pack"), "complete")).toBe("accepted")
    expect(await report(last("pick"), "fail", { retryable: false })).toBe("stale")
  })

  test("W-03: with the token of another dispatch a report changes nothing", async () => {
    await drive(bench.engine.kernel).start("two")
    await relay()
    const { epoch } = parseToken(last("pick").job.leaseToken) ?? { epoch: 0 }
    const token = { epoch, nonce: "00000000-0000-4000-8000-000000000000" }
    expect(await report(last("pick"), "complete", { token })).toBe("stale")
    expect(await report(last("pick"), "complete", { token: parseToken(last("pick").job.leaseToken) })).toBe("accepted")
  })

  test("W-23: a standalone job of a type with a topic is dispatched, one without is claimed", async () => {
    const enqueue = (jobType: string) =>
      enqueueJob(bench.engine.kernel, { jobType, payload: { a: 1 }, whenFull: "absorb", actor: "local" })
    const { job } = await enqueue("alone")
    await enqueue("unpushed")
    await relay()
    expect(last("alone").job).toMatchObject({ id: job.id, instanceId: "" })
    expect(await drive(bench.engine.kernel).claim(["unpushed"])).toHaveLength(1)
    expect(await report(last("alone"), "complete")).toBe("accepted")
    expect((await getJob(bench.engine.kernel, job.id)).status).toBe("COMPLETED")
  })

  test("W-23: what is paused is not published until the pause ends", async () => {
    const target = { kind: "jobType", name: "pick" } as const
    await pause(bench.engine.kernel, { actor: "ann" }, { ...target, reason: undefined })
    await drive(bench.engine.kernel).start("two")
    await relay()
    expect(bench.broker.messages("pick")).toEqual([])
    await resume(bench.engine.kernel, { actor: "ann" }, target)
    await relay()
    expect(bench.broker.messages("pick")).toHaveLength(1)
  })

  test("W-21: a retry has a new dedup id and what is left of the retries", async () => {
    await drive(bench.engine.kernel).start("two")
    await relay()
    const first = last("pick")
    expect(await report(first, "fail")).toBe("accepted")
    await relay()
    expect(bench.broker.messages("pick")).toHaveLength(2)
    expect(last("pick").dedupId).not.toBe(first.dedupId)
    expect(last("pick").job.retriesRemaining).toBe(first.job.retriesRemaining - 1)
  })
})

describe("C-90: the seam", () => {
  const enqueue = (tx?: Transaction) =>
    enqueueJob(bench.engine.kernel, { jobType: "alone", payload: {}, whenFull: "absorb", actor: "local" }, tx)

  test("what a transaction takes back leaves no row and no message; what it commits is dispatched once", async () => {
    const takenBack = bench.engine.db.transaction(async (tx) => {
      await enqueue(tx)
      throw new Error("taken back")
    })
    await expect(takenBack).rejects.toThrow("taken back")
    await relay()
    expect([await dispatches(), bench.broker.messages("alone")]).toEqual([[], []])
    const { job } = await bench.engine.db.transaction((tx) => enqueue(tx))
    await relay()
    expect(bench.broker.messages("alone").map((one) => one.job.id)).toEqual([job.id])
    expect(await dispatches()).toEqual([{ job_type: "alone", log_offset: 0 }])
  })

  test("jobs are made while no broker answers: none is asked", async () => {
    bench.broker.isAway = true
    const id = await drive(bench.engine.kernel).start("two")
    await enqueue()
    expect((await getInstance(bench.engine.kernel, id)).status).toBe("ACTIVE")
    expect(await rows("select status from millrace.jobs")).toEqual([{ status: "ready" }, { status: "ready" }])
    expect(await dispatches()).toEqual([])
  })
})

describe("why it waits", () => {
  test("C-124: published at a place, then read and not reported since", async () => {
    const id = await drive(bench.engine.kernel).start("two")
    await relay()
    expect(await explainWaiting(bench.engine.kernel, id)).toMatchObject([
      { kind: "job-dispatched", detail: { topic: "workflow.jobs.pick", partition: 0, offset: 0 } },
    ])
    bench.broker.commit("pick")
    await watch()
    expect(await explainWaiting(bench.engine.kernel, id)).toMatchObject([
      { kind: "job-dispatched", detail: { leasedUntil: expect.any(String) } },
    ])
  })
})

describe("a failure that is reported twice", () => {
  test("W-22: spends one retry while its message is in the topic, also when the retry is on its way", async () => {
    await drive(bench.engine.kernel).start("two")
    await relay()
    const first = last("pick")
    await report(first, "fail")
    await relay()
    const second = last("pick")
    await report(first, "fail")
    expect(await rows("select retries_left, status from millrace.jobs")).toEqual([
      { retries_left: second.job.retriesRemaining, status: "leased" },
    ])
    bench.broker.commit("pick", 1)
    await report(second, "fail")
    expect(await rows("select retries_left from millrace.jobs")).toEqual([
      { retries_left: second.job.retriesRemaining - 1 },
    ])
  })
})

describe("a broker", () => {
  test("C-101: what it did not acknowledge is published later under the same dedup ids, each once", async () => {
    bench.broker.isAway = true
    for (let n = 0; n < 25; n++) await drive(bench.engine.kernel).start("two")
    await relay()
    const waiting = await rows("select dedup_id from millrace.dispatches order by dedup_id")
    expect(waiting).toHaveLength(25)
    bench.broker.isAway = false
    await expect.poll(() => relay().then(() => bench.broker.messages("pick").length)).toBe(25)
    expect(bench.broker.messages("pick").map(({ dedupId }) => ({ dedup_id: dedupId }))).toEqual(waiting)
  })

  test("W-21: an answer that was lost brings the same message again", async () => {
    bench.broker.fault = () => "lose-answer"
    await drive(bench.engine.kernel).start("two")
    await relay()
    bench.broker.fault = () => undefined
    await expect.poll(() => relay().then(() => bench.broker.messages("pick").length)).toBe(2)
    const [first, second] = bench.broker.messages("pick")
    expect(second?.dedupId).toBe(first?.dedupId)
    expect(second?.job.leaseToken).toBe(first?.job.leaseToken)
  })

  test("W-25: a message that is too large fails its instance with the reason", async () => {
    bench.broker.fault = () => ({ kind: "too-large", reason: "it is larger than the topic takes" })
    const id = await drive(bench.engine.kernel).start("two")
    await relay()
    expect(await getInstance(bench.engine.kernel, id)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("do not fit into a message of workflow.jobs.pick"),
    })
    expect(await dispatches()).toEqual([])
  })

  test("W-25: where the job type says so, the worker is told to ask for the variables", async () => {
    const say = (largePayload: "reference" | null) =>
      setJobType(bench.engine.kernel, { actor: "ann" }, { name: "pick", timeoutMs: null, largePayload })
    await say("reference")
    bench.broker.fault = ({ byReference }) =>
      byReference ? undefined : { kind: "too-large", reason: "it is too large" }
    const id = await drive(bench.engine.kernel).start("two", { n: 1 })
    await expect.poll(() => relay().then(() => bench.broker.messages("pick").length)).toBe(1)
    expect(last("pick")).toMatchObject({ byReference: true, job: { instanceId: id } })
    expect(JSON.parse(await readHeldVariables(bench.engine.kernel, last("pick").job.id))).toEqual({ n: 1 })
    expect(await report(last("pick"), "complete")).toBe("accepted")
    await expect(readHeldVariables(bench.engine.kernel, last("pick").job.id)).rejects.toThrow("is lost")
    await say(null)
  })

  test("C-95, C-119: a topic that is gone keeps its jobs back, and they are published once it is there", async () => {
    bench.broker.fault = () => ({ kind: "no-topic", reason: "the topic does not exist" })
    await drive(bench.engine.kernel).start("two")
    await relay()
    expect(await rows("select status, held_reason from millrace.jobs")).toEqual([
      { status: "held", held_reason: "the topic does not exist" },
    ])
    expect(await dispatches()).toEqual([])
    const metrics = await bench.engine.kernel.metrics.registry.metrics()
    expect(metrics).toContain('workflow_engine_kafka_producer_errors_total{code="no-topic"} 1')
    bench.broker.fault = () => undefined
    await relay()
    expect(bench.broker.messages("pick")).toEqual([])
    await bench.engine.advanceClock(10_001)
    await releaseJobs(bench.engine.kernel, noTerm)
    await relay()
    expect(bench.broker.messages("pick")).toHaveLength(1)
  })
})
