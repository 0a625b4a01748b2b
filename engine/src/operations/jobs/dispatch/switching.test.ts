// The edges of dispatch through Kafka: leaders that change, jobs that are cancelled, heartbeats, and the way back to polling.
import { describe, expect, test } from "vitest"
import { loadConfig } from "../../../config.ts"
import { startEngine } from "../../../engine.ts"
import { parseToken } from "../../../model/jobs/reports.ts"
import { createLogger } from "../../../support/log.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { dispatchBench } from "../../../test-support/dispatch-bench.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import type { Published } from "../../../test-support/memory-broker.ts"
import { cancelInstance } from "../../instances/change-instance.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { dispatchingOf } from "./dispatching.ts"
import { jobRelayOf } from "./relay.ts"
import { takeBackDispatches } from "./take-back-dispatches.ts"

const bench = dispatchBench(["pick"], workflow("one", [service("pick", "end"), end()]))
const { relay, report, rows, watch } = bench
const only = (): Published => bench.broker.messages("pick")[0] as Published
const completeWithoutToken = () => report(only(), "complete")
const pollingEnv = (dsn: string) => ({
  WE_POSTGRES_DSN: dsn,
  DB_MAX_CONNS: "4",
  WE_REST_PORT: "0",
  WE_GRPC_PORT: "0",
  WE_METRICS_PORT: "0",
})

test("F20, C-91: a leader whose term ends while it publishes marks nothing, and the next repeats the same dispatch", async () => {
  await drive(bench.engine.kernel).start("one")
  let writes = 0
  const replaced = async () => {
    writes += 1
    if (writes > 1) throw new Error("another process leads")
  }
  await expect(jobRelayOf(bench.engine.kernel).round(replaced)).rejects.toThrow("another process leads")
  expect(await rows("select published_at from millrace.dispatches")).toEqual([{ published_at: null }])
  await expect.poll(() => relay().then(() => bench.broker.messages("pick").length)).toBe(2)
  expect(new Set(bench.broker.messages("pick").map(({ dedupId }) => dedupId)).size).toBe(1)
  expect(await rows("select log_offset from millrace.dispatches")).toEqual([{ log_offset: 1 }])
})

test("S15: a job that is cancelled while its message waits is not reported any more, and its row goes with the message", async () => {
  const id = await drive(bench.engine.kernel).start("one")
  await relay()
  await cancelInstance(bench.engine.kernel, { instanceId: id, reason: undefined, actor: "ann" })
  expect(await completeWithoutToken()).toBe("stale")
  bench.broker.commit("pick")
  await watch()
  expect(await rows("select * from millrace.dispatches")).toEqual([])
})

test("a heartbeat with the token is answered, and does not end a lease that has no end", async () => {
  await drive(bench.engine.kernel).start("one")
  await relay()
  const { id, leaseToken } = only().job
  const until = await heartbeatJob(bench.engine.kernel, { jobId: id, workerId: "any", token: parseToken(leaseToken) })
  expect(until).toBeLessThan(bench.engine.kernel.clock.nowMs() + 3_600_000)
  await bench.engine.advanceClock(3_600_000)
  await sweepAll(bench.engine.kernel)
  await relay()
  expect(bench.broker.messages("pick")).toHaveLength(1)
})

describe("C-98: back to polling", () => {
  const left = () => rows("select epoch from millrace.dispatches")
  const resign = (loop: string) => rows(`update millrace.leaders set until = '-infinity' where name = '${loop}'`)
  const takeBack = () => takeBackDispatches(bench.engine.kernel, noTerm)

  test("what was dispatched is claimed after a lease and counted once", async () => {
    await drive(bench.engine.kernel).start("one")
    await relay()
    await dispatchingOf(bench.engine.kernel).close()
    await takeBack()
    expect(await left()).toHaveLength(1)
    await resign("dispatcher")
    await takeBack()
    expect(await left()).toEqual([])
    expect(await drive(bench.engine.kernel).claim(["pick"])).toEqual([])
    await bench.engine.advanceClock(31_000)
    await sweepAll(bench.engine.kernel)
    const job = await drive(bench.engine.kernel).claimOne("pick")
    expect(await completeWithoutToken()).toBe("stale")
    expect(await drive(bench.engine.kernel).complete(job)).toBe("accepted")
  })

  test("a job that another transaction holds is taken back later, and a dispatch of a job that is gone at once", async () => {
    await resign("dispatcher")
    for (let n = 0; n < 2; n += 1) await drive(bench.engine.kernel).start("one")
    await relay()
    const [held, gone] = bench.broker.messages("pick").map(({ job }) => job.instanceId)
    await rows(`delete from millrace.jobs where instance_id = '${gone}'`)
    const holder = await bench.engine.db.dedicated()
    await holder.query(`begin; select from millrace.jobs where instance_id = '${held}' for update`)
    await takeBack()
    expect(await left()).toHaveLength(1)
    await holder.query("rollback")
    holder.release()
    await takeBack()
    expect(await left()).toEqual([])
  })

  test("what a relay leaves after an engine has begun to poll, and has found nothing, is found at the next beat", async () => {
    const { engine } = bench
    await resign("dispatcher")
    await resign("dispatch-return")
    const config = loadConfig({ env: pollingEnv(engine.dsn), readFile: () => "" })
    const polling = await startEngine(config, createLogger({ level: "silent" }))
    const leader = () =>
      rows("select term from millrace.leaders where name = 'dispatch-return' and until > millrace.clock()")
    await expect.poll(leader).toHaveLength(1)
    for (let late = 0; late < 2; late += 1) {
      await drive(engine.kernel).start("one")
      await relay()
      expect(bench.broker.messages("pick")).toHaveLength(late + 1)
      await expect.poll(left).toEqual([])
    }
    await polling.stop()
    await holdLoops(engine.kernel)
  })

  test("a process that was not told to poll leaves the dispatches where they are", async () => {
    const dispatching = dispatchingOf(bench.engine.kernel)
    expect(dispatching).toMatchObject({ loops: [], takesBack: false })
    await dispatching.close()
    expect(dispatching).toMatchObject({ loops: [], takesBack: false })
  })
})

test("C-96: a poll is served for the types that have no topic", () => {
  const dispatching = dispatchingOf(bench.engine.kernel)
  expect(dispatching.pollable(["pick", "else"])).toEqual(["else"])
  expect(() => dispatching.pollable(["pick"])).toThrow("consume the topic workflow.jobs.<jobType>")
})

test("W-24, C-95: an upload names the topics that are missing, and types that Kafka cannot have", async () => {
  const uploaded = (jobType: string) => bench.engine.upload(workflow("new", [service(jobType, "end"), end()]))
  await expect(uploaded("ship")).rejects.toThrow("millrace kafka topics workflow.jobs.ship --create")
  await expect(uploaded("a:b")).rejects.toThrow("letters, digits")
  bench.broker.create("ship")
  expect(await uploaded("ship")).toBe(1)
})
