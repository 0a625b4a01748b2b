// What a stream of jobs holds to: messages that a client can take, and starts that are said with the right token.
import type { StreamJobsRequest, StreamJobsResponse } from "@millrace/sdk/proto"
import { StreamJobsResponse as Message } from "@millrace/sdk/proto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestGrpc, type TestGrpc } from "../test-support/test-grpc.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
})
afterAll(() => grpc.close())

async function startMany(id: string, count: number, variables: object): Promise<void> {
  const steps = [{ id: "work", name: "work", type: 1, jobType: id }]
  await grpc.rpc.uploadDefinition({ definition: { id, name: id, steps } as never })
  for (let n = 0; n < count; n++) await grpc.rpc.startInstance({ definitionId: id, variables: variables as never })
}

function open(jobType: string, credit: number) {
  const stream = grpc.client.streamJobs()
  const messages: StreamJobsResponse[] = []
  stream.on("error", () => {})
  stream.on("data", (message: StreamJobsResponse) => messages.push(message))
  const ended = new Promise((resolve) => stream.on("status", resolve))
  const say = (message: object) => void stream.write(message as StreamJobsRequest)
  say({ open: { workerId: "w", jobTypes: [jobType], leaseSeconds: 60, credit } })
  return { stream, messages, ended, say, jobs: () => messages.flatMap(({ jobs }) => jobs) }
}

test("W-12: jobs come in as many messages as it takes, each of which a client can take", async () => {
  await startMany("heavy-stream", 20, { blob: "x".repeat(230_000) })
  const worker = open("heavy-stream", 100)
  await expect.poll(() => worker.jobs().length).toBe(20)
  for (const message of worker.messages) expect(Message.encode(message).finish().length).toBeLessThan(3_600_000)
  worker.stream.cancel()
  await worker.ended
})

test("S7: a start with another token is none: the job is ready again when the stream ends", async () => {
  await startMany("forged", 1, {})
  const worker = open("forged", 1)
  await expect.poll(() => worker.jobs().length).toBe(1)
  const [job] = worker.jobs()
  worker.say({ started: { jobs: [{ jobId: job!.id, leaseToken: "1.forged" }] } })
  worker.stream.end()
  await worker.ended
  expect((await grpc.rpc.pollJobs({ workerId: "other", jobTypes: ["forged"] })).jobs).toMatchObject([{ id: job!.id }])
})
