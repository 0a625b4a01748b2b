// StreamJobs: jobs come as they are made, by credit; what was not started is ready again when the stream ends.
import { type ClientDuplexStream, Metadata, status } from "@grpc/grpc-js"
import { StreamJobsRequest as Message, type StreamJobsRequest, type StreamJobsResponse } from "@millrace/sdk/proto"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { wakeupsOf } from "../../../operations/jobs/claim/wakeups.ts"
import { eventually } from "../../../test-support/mills.ts"
import { LOOK_AGAIN_MS } from "../../calls/may-still.ts"
import { createTestGrpc, type TestGrpc } from "../test-support/test-grpc.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
})
afterAll(() => grpc.close())

let count = 0
/** A definition of one task, with a job type of its own. */
async function prepare(): Promise<{ jobType: string; start: (variables?: object) => Promise<string> }> {
  const id = `stream-${++count}`
  const steps = [{ id: "work", name: "work", type: 1, jobType: id }]
  await grpc.rpc.uploadDefinition({ definition: { id, name: id, steps } as never })
  const start = async (variables = {}) => (await grpc.rpc.startInstance({ definitionId: id, variables })).instance!.id
  return { jobType: id, start }
}

type Stream = ClientDuplexStream<StreamJobsRequest, StreamJobsResponse>

class Worker {
  readonly stream: Stream
  readonly ended: Promise<{ code: status; details: string }>
  readonly #came: StreamJobsResponse[] = []
  #listener: () => void = () => {}

  constructor(metadata = new Metadata()) {
    this.stream = grpc.client.streamJobs(metadata)
    // Its status tells it, too.
    this.stream.on("error", () => {})
    this.ended = new Promise((resolve) => this.stream.on("status", resolve))
    this.stream.on("data", (message: StreamJobsResponse) => {
      this.#came.push(message)
      this.#listener()
    })
  }

  say(message: object): this {
    this.stream.write(Message.fromPartial(message as never))
    return this
  }

  open(jobType: string, credit: number): this {
    return this.say({ open: { workerId: "w", jobTypes: [jobType], leaseSeconds: 60, credit } })
  }

  /** The jobs of the next message. */
  async next() {
    while (this.#came.length === 0)
      await new Promise<void>((resolve) => {
        this.#listener = resolve
      })
    return this.#came.shift()!.jobs
  }
}

const poll = async (jobType: string) =>
  (await grpc.rpc.pollJobs({ workerId: "other", jobTypes: [jobType], maxJobs: 10 })).jobs

describe("StreamJobs", () => {
  test("pushes jobs that are there, then those that come, as far as the credit goes", async () => {
    const { jobType, start } = await prepare()
    await start({ n: 1 })
    const worker = new Worker().open(jobType, 2)
    const [first] = await worker.next()
    expect(first).toMatchObject({ jobType, variables: { n: 1 }, attempt: 1 })
    const waiting = worker.next()
    await eventually(async () => wakeupsOf(grpc.rest.engine.kernel).waitingFor()).toContain(jobType)
    await start({ n: 2 })
    expect(await waiting).toMatchObject([{ variables: { n: 2 } }])
    // Without credit nothing is pushed: the job is left for others.
    await start({ n: 3 })
    expect(await poll(jobType)).toMatchObject([{ variables: { n: 3 } }])
    const more = worker.next()
    worker.say({ credit: 1 })
    await start({ n: 4 })
    expect(await more).toMatchObject([{ variables: { n: 4 } }])
    worker.stream.cancel()
    expect(await worker.ended).toMatchObject({ code: status.CANCELLED })
  })

  test("when a stream breaks, jobs not said to be started are ready again at once; started ones keep their lease", async () => {
    const { jobType, start } = await prepare()
    await start({ n: "started" })
    await start({ n: "not started" })
    const worker = new Worker().open(jobType, 10)
    const jobs = [...(await worker.next())]
    while (jobs.length < 2) jobs.push(...(await worker.next()))
    const started = jobs.find(({ variables }) => variables?.n === "started")!
    worker.say({ started: { jobs: [{ jobId: started.id, leaseToken: started.leaseToken }] } })
    // Said before the end, and so heard before it: a job of a later credit is the proof.
    await start({ n: "proof" })
    const [proof] = await worker.next()
    worker.say({ started: { jobs: [{ jobId: proof!.id, leaseToken: proof!.leaseToken }] } })
    worker.stream.end()
    expect(await worker.ended).toMatchObject({ code: status.OK })
    expect(await poll(jobType)).toMatchObject([{ variables: { n: "not started" }, attempt: 1 }])
    const report = { jobId: started.id, workerId: "w", leaseToken: started.leaseToken }
    await grpc.rpc.completeJob(report)
  })

  test("a worker that vanishes loses what it has not started", async () => {
    const { jobType, start } = await prepare()
    await start()
    const worker = new Worker().open(jobType, 1)
    const [job] = await worker.next()
    worker.stream.cancel()
    const ready = { workerId: "other", jobTypes: [jobType], waitSeconds: 30 }
    expect((await grpc.rpc.pollJobs(ready)).jobs).toMatchObject([{ id: job!.id, attempt: 1 }])
  })

  test("a job that ended meanwhile stays ended", async () => {
    const { jobType, start } = await prepare()
    const id = await start()
    const worker = new Worker().open(jobType, 1)
    const [job] = await worker.next()
    await grpc.rpc.completeJob({ jobId: job!.id, workerId: "w", leaseToken: job!.leaseToken })
    worker.stream.end()
    await worker.ended
    expect((await grpc.rpc.getInstance({ id })).instance).toMatchObject({ status: 3 })
  })

  test.each([
    ["that is not opened first", { credit: 1 }],
    ["without a worker", { open: { workerId: "", jobTypes: ["a"], leaseSeconds: 0, credit: 1 } }],
    ["without job types", { open: { workerId: "w", jobTypes: [], leaseSeconds: 0, credit: 1 } }],
    ["that opens with negative credit", { open: { workerId: "w", jobTypes: ["a"], leaseSeconds: 0, credit: -5 } }],
  ])("a stream %s is refused", async (_, message) => {
    const worker = new Worker().say(message)
    expect(await worker.ended).toMatchObject({ code: status.INVALID_ARGUMENT })
  })

  test("a stream that is opened with negative credit is refused, and its caller's key is not looked at ever after", async () => {
    const { jobType } = await prepare()
    const begun = vi.spyOn(globalThis, "setInterval")
    expect(await new Worker().open(jobType, -1).ended).toMatchObject({ code: status.INVALID_ARGUMENT })
    expect(begun.mock.calls.filter(([, ms]) => ms === LOOK_AGAIN_MS)).toEqual([])
    begun.mockRestore()
  })

  test("negative credit and a second opening end it", async () => {
    const { jobType } = await prepare()
    const debtor = new Worker().open(jobType, 1).say({ credit: -1 })
    expect(await debtor.ended).toMatchObject({ code: status.INVALID_ARGUMENT })
    const twice = new Worker().open(jobType, 1).open(jobType, 1)
    expect(await twice.ended).toMatchObject({ code: status.INVALID_ARGUMENT })
  })

  test("a stream is measured by how it ended, and apart from calls that are no streams", async () => {
    const { jobType } = await prepare()
    const { registry } = grpc.rest.engine.kernel.metrics
    const count = async (status: string) => {
      const text = await registry.getSingleMetricAsString("grpc_streams_duration_seconds")
      return Number(new RegExp(`_count\\{method="StreamJobs",status="${status}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
    }
    const [cancelled, ended] = [await count("CANCELLED"), await count("OK")]
    for (const end of ["cancel", "end"] as const) {
      const worker = new Worker().open(jobType, 1)
      await eventually(async () => wakeupsOf(grpc.rest.engine.kernel).waitingFor()).toContain(jobType)
      worker.stream[end]()
      await worker.ended
      await eventually(async () => wakeupsOf(grpc.rest.engine.kernel).waitingFor()).not.toContain(jobType)
    }
    await eventually(async () => [await count("CANCELLED"), await count("OK")]).toEqual([cancelled + 1, ended + 1])
    const calls = await registry.getSingleMetricAsString("grpc_requests_duration_seconds")
    expect(calls).not.toContain("StreamJobs")
  })

  test("an idle stream looks at the database no more often than a long poll", async () => {
    const { jobType, start } = await prepare()
    const worker = new Worker().open(jobType, 1)
    await eventually(async () => wakeupsOf(grpc.rest.engine.kernel).waitingFor()).toContain(jobType)
    const before = await emptyPolls()
    await start()
    await worker.next()
    expect(await emptyPolls()).toBe(before)
    worker.stream.cancel()
    await worker.ended
  })
})

const emptyPolls = async () => (await grpc.rest.engine.kernel.metrics.jobEmptyPolls.get()).values[0]?.value ?? 0
