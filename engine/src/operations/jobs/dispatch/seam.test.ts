// Every way in which a job becomes ready ends in the same seam: it is published as a new dispatch, and only when it may be claimed.
import { expect, test } from "vitest"
import { EVERYTHING } from "../../../model/people/reach.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { dispatchBench } from "../../../test-support/dispatch-bench.ts"
import { drive } from "../../../test-support/drive.ts"
import { noTerm } from "../../../test-support/loops.ts"
import type { Published } from "../../../test-support/memory-broker.ts"
import { countRows } from "../../../test-support/rows.ts"
import { replayDeadLetter } from "../../dead-letters/replay-dead-letter.ts"
import { publishEvent } from "../../events/publish-event.ts"
import { setDownstream } from "../../flow/change-downstreams.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import { getAudit } from "../../instances/read-instances.ts"
import { retryInstance } from "../../instances/retry-instance.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"
import { dispatchingOf } from "./dispatching.ts"

const bench = dispatchBench(["pick", "alone"], workflow("one", [service("pick", "end", { retryCount: 1 }), end()]))
const { relay, report } = bench
const worker = () => drive(bench.engine.kernel)
const last = (jobType: string): Published => bench.broker.messages(jobType).at(-1) as Published
const dedupIds = (jobType: string) => bench.broker.messages(jobType).map(({ dedupId }) => dedupId)
const enqueue = (more: object = {}) =>
  enqueueJob(bench.engine.kernel, { jobType: "alone", payload: {}, whenFull: "absorb", actor: "local", ...more })
async function release(): Promise<void> {
  await releaseJobs(bench.engine.kernel, noTerm)
  await relay()
}

test("W-21: a retry, a retry by hand and a replay of a dead letter are each a dispatch of their own", async () => {
  const id = await worker().start("one")
  await relay()
  await report(last("pick"), "fail")
  bench.broker.commit("pick")
  await relay()
  expect(last("pick").job.retriesRemaining).toBe(0)
  await report(last("pick"), "fail", { retryable: false })
  expect((await worker().get(id)).status).toBe("FAILED")
  await retryInstance(bench.engine.kernel, { instanceId: id, actor: "ann" })
  await relay()
  expect(new Set(dedupIds("pick")).size).toBe(3)
  expect(last("pick").job.retriesRemaining).toBe(1)
  expect(await report(last("pick"), "complete")).toBe("accepted")
})

test("W-21, W-23: a standalone job that is replayed from the dead letters is dispatched under a new dedup id", async () => {
  await enqueue()
  await relay()
  const { job } = last("alone")
  await report(last("alone"), "fail", { retryable: false })
  await replayDeadLetter(bench.engine.kernel, { id: job.id, actor: "ann", reach: EVERYTHING })
  await relay()
  expect(new Set(dedupIds("alone")).size).toBe(2)
  expect(await report(last("alone"), "complete")).toBe("accepted")
})

test("C-90: a job with a delay, and a retry that waits, are published when their time has come", async () => {
  await enqueue({ delayMs: 60_000 })
  await release()
  expect(dedupIds("alone")).toEqual([])
  await bench.engine.advanceClock(60_001)
  await release()
  expect(dedupIds("alone")).toHaveLength(1)
  await report(last("alone"), "fail", { retryAfterMs: 5_000 })
  await release()
  expect(dedupIds("alone")).toHaveLength(1)
  await bench.engine.advanceClock(5_001)
  await release()
  expect(new Set(dedupIds("alone")).size).toBe(2)
})

test("W-23: a downstream that takes two jobs at a time has two messages, and the next when one has ended", async () => {
  const limits = { name: "bank", perSecond: null, concurrency: 2, adaptive: false }
  await setDownstream(bench.engine.kernel, { actor: "ann" }, limits)
  for (let n = 0; n < 3; n += 1) await enqueue({ downstream: "bank" })
  await relay()
  expect(dedupIds("alone")).toHaveLength(2)
  await report(last("alone"), "complete")
  await relay()
  expect(dedupIds("alone")).toHaveLength(3)
})

test("F-25: jobs that are pushed are in a table of their own, and events in another; where jobs are polled theirs stays empty", async () => {
  const counts = async () => ({
    dispatches: await countRows(bench.engine.db, "dispatches"),
    events: await countRows(bench.engine.db, "events"),
  })
  await enqueue()
  await relay()
  expect(await counts()).toEqual({ dispatches: 1, events: 0 })
  await publishEvent(bench.engine.kernel, { type: "paid", payload: {} })
  expect(await counts()).toEqual({ dispatches: 1, events: 1 })
  await report(last("alone"), "complete")
  bench.broker.commit("alone")
  await bench.watch()
  await dispatchingOf(bench.engine.kernel).close()
  await enqueue()
  await worker().complete(await worker().claimOne("alone"))
  expect(await counts()).toEqual({ dispatches: 0, events: 1 })
})

test("C-99: an instance has the same lines of audit whether its jobs are polled or pushed; only the way differs", async () => {
  const lines = async (id: string) =>
    (await getAudit(bench.engine.kernel, id, 0)).map(({ kind, detail }) => {
      const { via, ...rest } = detail as { readonly via?: string }
      return { kind, via, rest }
    })
  const pushed = await worker().start("one")
  await relay()
  await report(last("pick"), "fail")
  await relay()
  await report(last("pick"), "complete")
  await dispatchingOf(bench.engine.kernel).close()
  const polled = await worker().start("one")
  await worker().fail(await worker().claimOne("pick"), "boom", true, 0)
  await worker().complete(await worker().claimOne("pick"))
  const [ofPushed, ofPolled] = [await lines(pushed), await lines(polled)]
  expect(ofPushed.map(({ kind, rest }) => [kind, Object.keys(rest)])).toEqual(
    ofPolled.map(({ kind, rest }) => [kind, Object.keys(rest)]),
  )
  expect(ofPushed.map(({ kind }) => kind)).toEqual([
    "INSTANCE_STARTED",
    "JOB_DISPATCHED",
    "JOB_RETRIED",
    "JOB_COMPLETED",
    "INSTANCE_COMPLETED",
  ])
  const ways = (of: typeof ofPushed) => new Set(of.flatMap(({ kind, via }) => (kind === "JOB_DISPATCHED" ? [via] : [])))
  expect([ways(ofPushed), ways(ofPolled)]).toEqual([new Set(["kafka_outbox"]), new Set(["polling"])])
})
