// C-110, C-115: a worker as a process of its own: stopped in good order, or killed.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Job } from "@millrace/sdk"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { useOneStep } from "../test-support/one-step.ts"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"
import { useRunners } from "../test-support/runners.ts"
import { Tally } from "../test-support/tally.ts"
import { auditCount, ended } from "../watch.ts"

/** Node 20 runs what was built. */
const program = fileURLToPath(new URL("../../../dist/scenarios/test-support/steered-worker.js", import.meta.url))
let engine: RealEngine
let worker: ChildProcess | undefined
const run = useRunners(() => engine.url)

beforeAll(async () => {
  engine = await openRealEngine()
})
afterEach(() => void worker?.kill("SIGKILL"))
afterAll(() => engine.close())

function launch(jobType: string) {
  const child = fork(program, [engine.url, jobType], { execArgv: [] })
  worker = child
  const heard = new Tally<unknown>()
  child.on("message", (message) => heard.add(message))
  return { child, heard, exited: once(child, "exit") }
}

test("F13, C-110: on SIGTERM what is in flight finishes and is reported, nothing else is claimed, the exit code is 0", async () => {
  const start = await useOneStep(engine, "terminated")
  const { child, heard, exited } = launch("terminated")
  const running = await start()
  await heard.reach(1)
  // Ready while the worker reports: it must not be taken along with the answer.
  const waiting = await start()
  child.kill("SIGTERM")
  expect((await heard.reach(2))[1]).toBe("stopping")
  child.send("finish")
  expect(await exited).toEqual([0, null])
  expect(await engine.client.getInstance(running.id)).toMatchObject({
    status: "COMPLETED",
    variables: { finishedBy: "steered-worker" },
  })
  expect(heard.items, "one job was started").toHaveLength(2)
  const left = await engine.client.poll({ workerId: "other", jobTypes: ["terminated"], maxJobs: 10 })
  expect(left).toMatchObject([{ instanceId: waiting.id, attempt: 1 }])
})

test("F03, F15, C-115, C-64: the job of a worker killed with -9 is run by another, under the same idempotency key", async () => {
  const start = await useOneStep(engine, "killed")
  const { child, heard, exited } = launch("killed")
  const { id } = await start({ order: 7 })
  const [first] = (await heard.reach(1)) as readonly Job[]
  child.kill("SIGKILL")
  expect(await exited).toEqual([null, "SIGKILL"])
  await engine.advanceClock(31_000)
  const seen = new Tally<Job>()
  run({
    killed: (job) => {
      seen.add(job)
      return { finishedBy: "another" }
    },
  })
  expect(await ended(engine.client, id)).toMatchObject({
    status: "COMPLETED",
    variables: { order: 7, finishedBy: "another" },
  })
  expect(first).toMatchObject({ instanceId: id, attempt: 1, variables: { order: 7 } })
  expect(seen.items).toMatchObject([
    { id: first?.id, idempotencyKey: first?.idempotencyKey, attempt: 2, variables: { order: 7 } },
  ])
  expect(first?.idempotencyKey).toBeTruthy()
  expect(seen.items[0]?.leaseToken).not.toBe(first?.leaseToken)
  expect(await auditCount(engine.client, id, "LEASE_EXPIRED")).toBe(1)
  expect(await auditCount(engine.client, id, "JOB_RETRIED"), "a lost lease spends no retry").toBe(0)
})
