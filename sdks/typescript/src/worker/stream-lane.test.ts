// C-107, C-108: a worker whose jobs are pushed: credit for free places, "started" for each job, another stream when one breaks.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { EngineClient } from "../client/engine-client.ts"
import { GrpcJobStream } from "../grpc/job-stream.ts"
import type { StreamJobsRequest } from "../proto/index.ts"
import { Job } from "../proto/index.ts"
import { recordingLogger, Tally } from "../test-support/samples.ts"
import { type JobStreamCall, ScriptedGrpcEngine } from "../test-support/scripted-grpc-engine.ts"
import type { Handler } from "./handlers.ts"
import { Runner } from "./runner.ts"

let engine: ScriptedGrpcEngine
let client: EngineClient
let runner: Runner
const streams = new Tally<JobStreamCall>()
const said = new Tally<StreamJobsRequest>()

beforeEach(async () => {
  streams.items.length = 0
  said.items.length = 0
  engine = await ScriptedGrpcEngine.start()
  engine.onStream = (call) => {
    call.on("data", (message: StreamJobsRequest) => said.add(message))
    call.on("end", () => call.end())
    streams.add(call)
  }
  engine.on("exchangeJobs", ({ request }) => {
    const reports = request.completed as { jobId: string }[]
    return { results: reports.map(({ jobId }) => ({ jobId, outcome: 1 })) }
  })
  client = new EngineClient({ url: engine.url })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await runner.stop({ timeoutMs: 0 })
  client.close()
  engine.stop()
})

function run(handler: Handler, concurrency = 2): Runner {
  const logger = recordingLogger()
  runner = new Runner({ client, logger, handlers: { mail: handler }, workerId: "w", mode: "stream", concurrency })
  return runner.start()
}
const push = (...ids: string[]) =>
  streams.items
    .at(-1)
    ?.write({ jobs: ids.map((id) => Job.fromPartial({ id, jobType: "mail", leaseToken: `t-${id}` })) })
const reported = () =>
  engine.received.flatMap(({ request }) => (request.completed as { jobId: string }[]).map(({ jobId }) => jobId))

test("C-107: a stream opens with credit for every place, and gets more as places come free", async () => {
  run(() => ({ sent: true }))
  await said.reach(1)
  expect(said.items[0]?.open).toEqual({ workerId: "w", jobTypes: ["mail"], leaseSeconds: 30, credit: 2 })
  push("a", "b")
  await said.until(() => said.items.reduce((sum, { credit = 0 }) => sum + credit, 0) === 2)
  const started = said.items.flatMap((message) => message.started?.jobs ?? [])
  expect(started).toEqual([
    { jobId: "a", leaseToken: "t-a" },
    { jobId: "b", leaseToken: "t-b" },
  ])
  await expect.poll(reported).toEqual(["a", "b"])
  expect(engine.received.every(({ request }) => request.poll === undefined)).toBe(true)
})

test("a handler does not wait until the engine is told that it has started", async () => {
  const told = vi.spyOn(GrpcJobStream.prototype, "started")
  const toldBefore: number[] = []
  run(() => void toldBefore.push(told.mock.calls.length))
  await streams.reach(1)
  push("a", "b")
  await expect.poll(reported).toEqual(["a", "b"])
  expect(toldBefore).toEqual([0, 0])
  expect(told).toHaveBeenCalledOnce()
})

test("C-108: a stream that ends or breaks is followed by another, with credit for what is free", async () => {
  const over = new Tally<() => void>()
  run(() => new Promise<void>((finish) => over.add(finish)))
  await streams.reach(1)
  push("a")
  await over.reach(1)
  streams.items[0]?.end()
  await said.until(() => said.items.filter(({ open }) => open).length === 2)
  expect(said.items.at(-1)?.open?.credit).toBe(1)
  streams.items[1]?.emit("error", { code: 14, details: "leaving" })
  await said.until(() => said.items.filter(({ open }) => open).length === 3)
  over.items[0]?.()
  await expect.poll(reported).toEqual(["a"])
})

test("C-110: a stop closes the stream, and waits for what was started", async () => {
  const over = new Tally<() => void>()
  run(() => new Promise<void>((finish) => over.add(finish)))
  await streams.reach(1)
  push("a")
  await over.reach(1)
  const stopped = runner.stop()
  over.items[0]?.()
  expect(await stopped).toEqual({ drained: true, unfinished: 0 })
  expect(reported()).toEqual(["a"])
  expect(streams.items).toHaveLength(1)
})

test("C-110: a worker that has nothing to do stops as soon as its stream has ended", async () => {
  run(() => {})
  await said.reach(1)
  // Longer than the test may take.
  expect(await runner.stop({ timeoutMs: 3_600_000 })).toEqual({ drained: true, unfinished: 0 })
})

test("a stream needs gRPC", () => {
  const rest = new EngineClient({ url: "http://127.0.0.1:1" })
  const make = () => new Runner({ client: rest, handlers: { mail: () => {} }, workerId: "w", mode: "stream" })
  expect(make).toThrow("give the EngineClient a grpc:// url")
  rest.close()
  run(() => {})
})
