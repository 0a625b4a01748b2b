// The edges of dispatch through Kafka: leaders that change, jobs that are cancelled, heartbeats, and the way back to polling.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { parseToken } from "../../../model/jobs/reports.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, sweepAll, unguarded } from "../../../test-support/loops.ts"
import { MemoryBroker, type Published } from "../../../test-support/memory-broker.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { cancelInstance } from "../../instances/change-instance.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { reportJob } from "../end/report-jobs.ts"
import { beginDispatching } from "./begin-dispatching.ts"
import { dispatchingOf } from "./dispatching.ts"
import { jobRelayOf } from "./relay.ts"
import { takeBackDispatches } from "./take-back-dispatches.ts"
import { watchConsumers } from "./watch-consumers.ts"

let engine: TestEngine
let broker: MemoryBroker

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.upload(workflow("one", [service("pick", "end"), end()]))
})
afterAll(() => engine.close())
beforeEach(async () => {
  await dispatchingOf(engine.kernel).close()
  await engine.db.script("delete from millrace.dispatches; delete from millrace.jobs")
  broker = new MemoryBroker(["pick"])
  engine.kernel.metrics.registry.clear()
  await beginDispatching(engine.kernel, { broker, batchMax: 200, leads: true })
})

async function relay(): Promise<void> {
  while (await jobRelayOf(engine.kernel).round(unguarded));
}
const rows = (sql: string) => engine.db.script(sql)
const only = (): Published => broker.messages("pick")[0] as Published
const completeWithoutToken = () =>
  reportJob(engine.kernel, {
    jobId: only().job.id,
    workerId: "any",
    token: undefined,
    actor: "any",
    verb: "complete",
    variables: {},
  })

test("F20, C-91: a leader whose term ends while it publishes marks nothing, and the next repeats the same dispatch", async () => {
  await drive(engine.kernel).start("one")
  let writes = 0
  const replaced = async () => {
    writes += 1
    if (writes > 1) throw new Error("another process leads")
  }
  await expect(jobRelayOf(engine.kernel).round(replaced)).rejects.toThrow("another process leads")
  expect(await rows("select published_at from millrace.dispatches")).toEqual([{ published_at: null }])
  await expect.poll(() => relay().then(() => broker.messages("pick").length)).toBe(2)
  expect(new Set(broker.messages("pick").map(({ dedupId }) => dedupId)).size).toBe(1)
  expect(await rows("select log_offset from millrace.dispatches")).toEqual([{ log_offset: 1 }])
})

test("S15: a job that is cancelled while its message waits is not reported any more, and its row goes with the message", async () => {
  const id = await drive(engine.kernel).start("one")
  await relay()
  await cancelInstance(engine.kernel, { instanceId: id, reason: undefined, actor: "ann" })
  expect(await completeWithoutToken()).toBe("stale")
  broker.commit("pick")
  await watchConsumers(engine.kernel, unguarded)
  expect(await rows("select * from millrace.dispatches")).toEqual([])
})

test("a heartbeat with the token is answered, and does not end a lease that has no end", async () => {
  await drive(engine.kernel).start("one")
  await relay()
  const { id, leaseToken } = only().job
  const until = await heartbeatJob(engine.kernel, { jobId: id, workerId: "any", token: parseToken(leaseToken) })
  expect(until).toBeLessThan(engine.kernel.clock.nowMs() + 3_600_000)
  await engine.advanceClock(3_600_000)
  await sweepAll(engine.kernel)
  await relay()
  expect(broker.messages("pick")).toHaveLength(1)
})

test("C-98: back to polling, what was dispatched is claimed after a lease and counted once", async () => {
  await drive(engine.kernel).start("one")
  await relay()
  await dispatchingOf(engine.kernel).close()
  await takeBackDispatches(engine.kernel)
  expect(await rows("select count(*)::int as n from millrace.dispatches")).toEqual([{ n: 1 }])
  await rows("update millrace.leaders set until = '-infinity' where name = 'dispatcher'")
  await expect.poll(() => rows("select * from millrace.dispatches")).toEqual([])
  expect(await drive(engine.kernel).claim(["pick"])).toEqual([])
  await engine.advanceClock(31_000)
  await sweepAll(engine.kernel)
  const job = await drive(engine.kernel).claimOne("pick")
  expect(await completeWithoutToken()).toBe("stale")
  expect(await drive(engine.kernel).complete(job)).toBe("accepted")
})

test("C-96: a poll is served for the types that have no topic", () => {
  const dispatching = dispatchingOf(engine.kernel)
  expect(dispatching.pollable(["pick", "else"])).toEqual(["else"])
  expect(() => dispatching.pollable(["pick"])).toThrow("consume the topic workflow.jobs.<jobType>")
})

test("W-24, C-95: an upload names the topics that are missing, and types that Kafka cannot have", async () => {
  const uploaded = (jobType: string) => engine.upload(workflow("new", [service(jobType, "end"), end()]))
  await expect(uploaded("ship")).rejects.toThrow("millrace kafka topics workflow.jobs.ship --create")
  await expect(uploaded("a:b")).rejects.toThrow("letters, digits")
  broker.create("ship")
  expect(await uploaded("ship")).toBe(1)
})
