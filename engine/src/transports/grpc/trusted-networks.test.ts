// A trusted network over gRPC: what its callers may do without a key, and what nothing they send can get them.
import { Client, credentials, status } from "@grpc/grpc-js"
import { WorkflowEngineService } from "@millrace/sdk/proto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { TRUSTED_SCOPES } from "../../model/people/scopes.ts"
import { trustNetworks } from "../calls/trusted-networks.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./test-support/test-grpc.ts"

const open = (network: string, scopes: readonly string[] = TRUSTED_SCOPES) =>
  createTestGrpc({ auth: "required", findTrusted: trustNetworks([network], scopes) })

let near: TestGrpc
let far: TestGrpc
let limited: TestGrpc
beforeAll(async () => {
  near = await open("127.0.0.0/8")
  far = await open("10.0.0.0/8")
  limited = await open("127.0.0.0/8", ["jobs:work:mine"])
})
afterAll(() => Promise.all([near.close(), far.close(), limited.close()]))

const start = (grpc: TestGrpc, metadata = {}) => grpc.rpc.startInstance({ definitionId: "trusted" }, { metadata })

/** By how a stream that asks for a job of this type ends, or by its first job. */
function streamed(grpc: TestGrpc, jobType: string): Promise<string> {
  const stream = grpc.client.streamJobs()
  stream.write({ open: { workerId: "w", jobTypes: [jobType], leaseSeconds: 60, credit: 1 } } as never)
  return new Promise((resolve) => {
    stream.on("error", ({ code }: { code: status }) => resolve(status[code] as string))
    stream.on("data", () => {
      resolve("a job")
      stream.cancel()
    })
  })
}

describe("W-05: callers from a trusted network, over gRPC", () => {
  test("W-05: start, work and stream without a key", async () => {
    const steps = [{ id: "work", name: "work", type: 1, jobType: "trusted" }]
    await near.rpc.uploadDefinition({ definition: { id: "trusted", name: "trusted", steps } as never })
    expect(await start(near)).toMatchObject({ instance: { definitionId: "trusted" } })
    const { jobs } = await near.rpc.pollJobs({ workerId: "w", jobTypes: ["trusted"] })
    await near.rpc.completeJob({ jobId: jobs[0]!.id, workerId: "w", leaseToken: jobs[0]!.leaseToken })
    await start(near)
    expect(await streamed(near, "trusted")).toBe("a job")
  })

  test("SEC, W-05: have the scopes that they are given, and no more", async () => {
    expect(await refusalOf(start(limited))).toMatchObject({ status: "PERMISSION_DENIED" })
    expect(await limited.rpc.pollJobs({ workerId: "w", jobTypes: ["mine"] })).toEqual({ jobs: [] })
    expect(await streamed(limited, "other")).toBe("PERMISSION_DENIED")
  })

  test("SEC, W-05: others are UNAUTHENTICATED, whatever their metadata says of their address", async () => {
    const metadata = { "x-forwarded-for": "10.0.0.1", forwarded: "for=10.0.0.1", "x-real-ip": "10.0.0.1" }
    expect(await refusalOf(start(far, metadata))).toMatchObject({ status: "UNAUTHENTICATED" })
    expect(await streamed(far, "trusted")).toBe("UNAUTHENTICATED")
  })

  test("SEC, W-05: a wrong key is refused from everywhere", async () => {
    const refused = await refusalOf(start(near, { authorization: "Bearer mill_wrong" }))
    expect(refused).toMatchObject({ status: "UNAUTHENTICATED" })
  })

  test("SEC, W-05: a foreign :authority is refused all the same", async () => {
    const options = { "grpc.default_authority": "evil.example" }
    const stranger = new Client(near.address, credentials.createInsecure(), options)
    const { path, requestSerialize, responseDeserialize } = WorkflowEngineService.getInstance
    const asked = new Promise((resolve, reject) => {
      stranger.makeUnaryRequest(path, requestSerialize, responseDeserialize, { id: "x" }, (error, answer) =>
        error ? reject(error) : resolve(answer),
      )
    })
    expect(await refusalOf(asked)).toMatchObject({ status: "PERMISSION_DENIED", reason: "misdirected-request" })
    stranger.close()
  })
})
