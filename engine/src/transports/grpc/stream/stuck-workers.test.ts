// Workers that do not read, or start nothing: a stream takes no more for them, and gives back what it has.
import { once } from "node:events"
import { connect } from "node:http2"
import { status } from "@grpc/grpc-js"
import { StreamJobsRequest } from "@millrace/sdk/proto"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { wakeupsOf } from "../../../operations/jobs/claim/wakeups.ts"
import { eventually } from "../../../test-support/mills.ts"
import { createTestGrpc, type TestGrpc } from "../test-support/test-grpc.ts"
import { firstMessage } from "./first-message.ts"
import { JobStream } from "./job-stream.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
})
afterAll(() => grpc.close())
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const LEASE_SECONDS = 600

async function upload(id: string) {
  const steps = [{ id: "work", name: "work", type: 1, jobType: id }]
  await grpc.rpc.uploadDefinition({ definition: { id, name: id, steps } as never })
}
const start = async (definitionId: string, variables = {}) =>
  (await grpc.rpc.startInstance({ definitionId, variables })).instance!.id
const poll = async (jobType: string) =>
  (await grpc.rpc.pollJobs({ workerId: "other", jobTypes: [jobType], maxJobs: 10 })).jobs
const isAwaited = (jobType: string) =>
  eventually(async () => wakeupsOf(grpc.rest.engine.kernel).waitingFor().includes(jobType))

const opening = (jobType: string) =>
  StreamJobsRequest.fromPartial({
    open: { workerId: "w", jobTypes: [jobType], leaseSeconds: LEASE_SECONDS, credit: 100 },
  })

/** A connection whose stream of jobs is never read: clients of gRPC read a first message by themselves. */
function openUnread(jobType: string) {
  const session = connect(`http://${grpc.address}`)
  const path = "/workflow.v1.WorkflowEngine/StreamJobs"
  const call = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" })
  const message = StreamJobsRequest.encode(opening(jobType)).finish()
  call.write(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]))
  return session
}

test("a worker that does not read is sent no second message: what comes is left for others", async () => {
  await upload("unread")
  const session = openUnread("unread")
  await isAwaited("unread").toBe(true)
  // More than the window of a stream takes.
  const first = await start("unread", { text: "x".repeat(250_000) })
  await isAwaited("unread").toBe(false)
  const second = await start("unread")
  expect(await poll("unread")).toMatchObject([{ instanceId: second, attempt: 1 }])
  session.destroy()
  await once(session, "close")
  const ready = { workerId: "other", jobTypes: ["unread"], waitSeconds: 30 }
  expect((await grpc.rpc.pollJobs(ready)).jobs).toMatchObject([{ instanceId: first, attempt: 1 }])
})

test("a worker that has started nothing when a lease is about to end is UNAVAILABLE, and its jobs are ready again", async () => {
  await upload("unstarted")
  const id = await start("unstarted")
  const { clock } = grpc.rest.engine.kernel
  const now = clock.nowMs.bind(clock)
  // To the stream the lease has a moment left; in the database it is whole, so only a job that was given back can be taken.
  vi.spyOn(clock, "nowMs").mockImplementation(() => now() + LEASE_SECONDS * 1_000 - 100)
  const stream = grpc.client.streamJobs()
  const ended = new Promise((resolve) => stream.on("error", () => {}).on("status", resolve))
  stream.on("data", () => {})
  stream.write(opening("unstarted"))
  expect(await ended).toMatchObject({ code: status.UNAVAILABLE, details: expect.stringMatching(/did not say/) })
  expect(await poll("unstarted")).toMatchObject([{ instanceId: id, attempt: 1 }])
})

test.each(["end", "break"] as const)("%s is noticed by a stream whose worker does not read", async (how) => {
  const jobType = `blocked-${how}`
  await upload(jobType)
  await start(jobType)
  const stream: JobStream = new JobStream(
    grpc.rest.engine.kernel,
    { workerId: "w", jobTypes: [jobType], leaseMs: LEASE_SECONDS * 1_000 },
    () => {
      setImmediate(() => stream[how]())
      return new Promise(() => {})
    },
  )
  stream.addCredit(10)
  await stream.run()
  expect(await poll(jobType)).toMatchObject([{ attempt: 1 }])
})

test("jobs that were reported without being started do not make a worker stuck", async () => {
  const { kernel } = grpc.rest.engine
  await upload("reported")
  const id = await start("reported")
  const timers = vi.spyOn(globalThis, "setTimeout")
  const claim = { workerId: "w", jobTypes: ["reported"], leaseMs: LEASE_SECONDS * 1_000 }
  const stream: JobStream = new JobStream(kernel, claim, async ([job]) => {
    const [look] = timers.mock.calls.find(([, ms = 0]) => ms > LEASE_SECONDS * 800) ?? []
    await grpc.rpc.completeJob({ jobId: job!.id, workerId: "w", leaseToken: job!.leaseToken })
    const clock = vi.spyOn(performance, "now").mockReturnValue(Number.MAX_SAFE_INTEGER)
    look!()
    clock.mockRestore()
    stream.end()
  })
  stream.addCredit(1)
  await stream.run()
  expect((await grpc.rpc.getInstance({ id })).instance).toMatchObject({ status: 3 })
})

test("a stream that ends lets its worker start what was sent last", async () => {
  const { kernel } = grpc.rest.engine
  await upload("settled")
  await start("settled")
  const claim = { workerId: "w", jobTypes: ["settled"], leaseMs: LEASE_SECONDS * 1_000 }
  let sent: ClaimedJob | undefined
  const stream: JobStream = new JobStream(kernel, claim, async ([job]) => {
    sent = job
    stream.end()
    setImmediate(() => stream.started(job!.id, job!.leaseToken))
  })
  stream.addCredit(1)
  await stream.run()
  expect(await poll("settled")).toEqual([])
  await grpc.rpc.completeJob({ jobId: sent!.id, workerId: "w", leaseToken: sent!.leaseToken })
})

test("a stream that is not opened is refused after ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const late = firstMessage({ next: () => new Promise(() => {}) })
  vi.advanceTimersByTime(10_000)
  await expect(late).rejects.toMatchObject({ code: "bad-request" })
  expect(await firstMessage({ next: async () => undefined })).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})
