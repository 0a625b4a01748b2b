// The consumers of dispatched jobs: a message that they have not passed is waited for, one that they have passed has the time of a lease.
import { expect, test } from "vitest"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { dispatchBench } from "../../../test-support/dispatch-bench.ts"
import { drive } from "../../../test-support/drive.ts"
import { noTerm, sweepAll } from "../../../test-support/loops.ts"
import type { Published } from "../../../test-support/memory-broker.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"

const bench = dispatchBench(
  ["pick", "pack"],
  workflow("two", [service("pick", "pack", { retryCount: 3 }), service("pack", "end"), end()]),
)
const { relay, report, rows, watch } = bench
const sweep = () => sweepAll(bench.engine.kernel)
const last = (jobType: string): Published => bench.broker.messages(jobType).at(-1) as Published
const dispatches = () => rows("select job_type, log_offset from millrace.dispatches order by dedup_id")
async function releaseAndRelay(): Promise<void> {
  await releaseJobs(bench.engine.kernel, noTerm)
  await relay()
}

test("C-102: a job whose message is in the topic waits for them, however long", async () => {
  await drive(bench.engine.kernel).start("two")
  await relay()
  for (let lease = 0; lease < 10; lease++) {
    await watch()
    await bench.engine.advanceClock(31_000)
    await sweep()
    await relay()
  }
  expect(bench.broker.messages("pick")).toHaveLength(1)
})

test("C-102: one that they have passed is dispatched again after a lease without a report", async () => {
  await drive(bench.engine.kernel).start("two")
  await relay()
  bench.broker.commit("pick")
  await watch()
  expect(await dispatches()).toEqual([])
  await sweep()
  await relay()
  expect(bench.broker.messages("pick")).toHaveLength(1)
  await bench.engine.advanceClock(31_000)
  await sweep()
  await relay()
  const [first, second] = bench.broker.messages("pick")
  expect(second?.dedupId).not.toBe(first?.dedupId)
  expect(await report(first as Published, "complete")).toBe("accepted")
})

test("C-102: messages of a topic that was made anew are dispatched again, once a lease, under new dedup ids", async () => {
  await drive(bench.engine.kernel).start("two")
  await relay()
  const first = last("pick")
  for (let time = 0; time < 2; time++) {
    bench.broker.create("pick")
    for (let look = 0; look < 3; look++) {
      expect(await rows("select status from millrace.jobs")).toEqual([{ status: "leased" }])
      await watch()
    }
    expect(await dispatches()).toEqual([])
    await releaseAndRelay()
    expect(bench.broker.messages("pick")).toEqual([])
    await bench.engine.advanceClock(30_001)
    await releaseAndRelay()
    expect(bench.broker.messages("pick")).toHaveLength(1)
    await watch()
  }
  expect(last("pick").dedupId).not.toBe(first.dedupId)
  expect(await bench.engine.kernel.metrics.registry.metrics()).toContain(
    "workflow_engine_dispatch_lost_messages_total 2",
  )
  expect(await report(last("pick"), "complete")).toBe("accepted")
})

test("C-119: how long the oldest message waits that the consumers have not passed", async () => {
  await drive(bench.engine.kernel).start("two")
  await relay()
  await bench.engine.advanceClock(7_000)
  await watch()
  const place = 'topic="workflow.jobs.pick",group="workflow.workers.pick",partition="0"'
  const lag = async () =>
    (await bench.engine.kernel.metrics.registry.metrics())
      .split("\n")
      .find((line) => line.startsWith(`workflow_engine_kafka_consumer_lag_seconds{${place}}`))
  expect(await lag()).toMatch(/ 7(\.\d+)?$/)
  bench.broker.commit("pick")
  await watch()
  expect(await lag()).toMatch(/ 0$/)
})

test("C-102: a group that is beyond the end of its topic is believed nothing", async () => {
  await drive(bench.engine.kernel).start("two")
  await relay()
  bench.broker.commit("pick", 100)
  await watch()
  await bench.engine.advanceClock(31_000)
  await sweep()
  await relay()
  expect(bench.broker.messages("pick")).toHaveLength(1)
  expect(await bench.engine.kernel.metrics.registry.metrics()).toContain("workflow_engine_dispatch_unusable_offsets 1")
})
