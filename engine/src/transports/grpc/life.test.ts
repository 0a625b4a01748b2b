// The life of calls and of the server: deadlines, health, reflection, measurements, and a drain that leaves nobody waiting.
import { credentials, status } from "@grpc/grpc-js"
import type { ServerReflectionResponse } from "@millrace/sdk/proto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { wakeupsOf } from "../../operations/jobs/claim/wakeups.ts"
import { eventually } from "../../test-support/mills.ts"
import { readDescriptors } from "./descriptors.ts"
import { HealthClient, ServerReflectionClient } from "./test-support/clients.ts"
import { createTestGrpc, type TestGrpc } from "./test-support/test-grpc.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
})
afterAll(() => grpc.close())

const upload = (id: string) => {
  const steps = [{ id: "work", name: "work", type: 1, jobType: id }]
  return grpc.rpc.uploadDefinition({ definition: { id, name: id, steps } as never })
}
const waitsFor = (jobType: string, server = grpc) =>
  eventually(async () => wakeupsOf(server.rest.engine.kernel).waitingFor().includes(jobType))

describe("deadlines", () => {
  test("a poll that outlasts its caller's deadline is DEADLINE_EXCEEDED, and claims nothing afterwards", async () => {
    await upload("late")
    const poll = { workerId: "w", jobTypes: ["late"], waitSeconds: 30 }
    const ended = grpc.rpc.pollJobs(poll, { deadlineMs: 50 }).catch((error) => error)
    expect(await ended).toMatchObject({ code: status.DEADLINE_EXCEEDED })
    await waitsFor("late").toBe(false)
    await grpc.rpc.startInstance({ definitionId: "late" })
    expect((await grpc.rpc.pollJobs({ ...poll, waitSeconds: 0 })).jobs).toMatchObject([{ attempt: 1 }])
  })

  test("what was done before the deadline is found again by its key", async () => {
    await upload("found")
    const request = { definitionId: "found", idempotencyKey: "once" }
    await grpc.rpc.startInstance(request, { deadlineMs: 1 }).catch(() => {})
    const { instance } = await grpc.rpc.startInstance(request)
    await grpc.rpc.startInstance(request)
    const { instances } = await grpc.rpc.listInstances({ definitionId: "found" })
    expect(instances.map(({ id }) => id)).toEqual([instance!.id])
  })
})

describe("beside the RPCs", () => {
  test("health: the server and the service are serving; another service is not known", async () => {
    const client = new HealthClient(grpc.address, credentials.createInsecure())
    const check = (service: string) =>
      new Promise((resolve) => client.check({ service }, (error, answer) => resolve(error?.code ?? answer?.status)))
    expect(await check("")).toBe(1)
    expect(await check("workflow.v1.WorkflowEngine")).toBe(1)
    expect(await check("someone.Else")).toBe(status.NOT_FOUND)
    const watch = client.watch({ service: "" })
    watch.on("error", () => {})
    expect(await new Promise((resolve) => watch.once("data", resolve))).toEqual({ status: 1 })
    watch.cancel()
    client.close()
  })

  test("reflection lists the services, and describes them with all that they stand on", async () => {
    const client = new ServerReflectionClient(grpc.address, credentials.createInsecure())
    const stream = client.serverReflectionInfo()
    const ask = (request: object) =>
      new Promise<ServerReflectionResponse>((resolve) => {
        stream.once("data", resolve)
        stream.write({ host: "", ...request } as never)
      })
    const { listServicesResponse } = await ask({ listServices: "" })
    expect(listServicesResponse?.service.map(({ name }) => name).sort()).toEqual([
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      "workflow.v1.WorkflowEngine",
    ])
    const found = await ask({ fileContainingSymbol: "workflow.v1.WorkflowEngine.StreamJobs" })
    const files = found.fileDescriptorResponse!.fileDescriptorProto.map((bytes) => readFileOf(bytes))
    expect(files.map(({ name }) => name)).toEqual([
      "workflow/v1/engine.proto",
      "google/protobuf/struct.proto",
      "google/protobuf/timestamp.proto",
    ])
    expect([...files[0]!.symbols]).toContain("workflow.v1.WorkflowStep")
    expect((await ask({ fileByFilename: "google/protobuf/struct.proto" })).fileDescriptorResponse).toBeDefined()
    expect((await ask({ fileContainingSymbol: "no.Such" })).errorResponse).toMatchObject({ errorCode: 5 })
    stream.end()
    client.close()
  })

  test("a call is measured by its name and status, and logged with the request id that its caller chose", async () => {
    const metadata = { "x-request-id": "mine-1", traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
    await grpc.rpc.getInstance({ id: "none" }, { metadata }).catch(() => {})
    expect(grpc.trailer().get("x-request-id")).toEqual(["mine-1"])
    expect(grpc.trailer().get("millrace-version")[0]).toMatch(/^\d+\.\d+\.\d+$/)
    const line = grpc.rest.lines.find(({ requestId }) => requestId === "mine-1")
    expect(line).toMatchObject({ rpc: "GetInstance", status: "NOT_FOUND", traceparent: metadata.traceparent })
    const text = await grpc.rest.engine.kernel.metrics.registry.getSingleMetricAsString(
      "grpc_requests_duration_seconds",
    )
    expect(text).toMatch(/grpc_requests_duration_seconds_count\{method="GetInstance",status="NOT_FOUND"\} 1/)
  })
})

const readFileOf = (bytes: Uint8Array) => {
  const set = Buffer.concat([Buffer.from([0x0a]), varint(bytes.length), bytes])
  return readDescriptors(set)[0]!
}
const varint = (value: number): Buffer =>
  value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 127) | 128]), varint(value >>> 7)])

test("a drain answers waiting polls at once, ends streams and watches, and closes", async () => {
  const draining = await createTestGrpc()
  const steps = [{ id: "work", name: "work", type: 1, jobType: "drain" }]
  await draining.rpc.uploadDefinition({ definition: { id: "drain", name: "drain", steps } as never })
  const poll = draining.rpc.pollJobs({ workerId: "w", jobTypes: ["drain"], waitSeconds: 30 })
  await waitsFor("drain", draining).toBe(true)
  const stream = draining.client.streamJobs()
  stream.on("data", () => {})
  const ended = new Promise((resolve) => stream.on("status", resolve))
  stream.write({ open: { workerId: "w", jobTypes: ["other"], leaseSeconds: 0, credit: 1 } } as never)
  const health = new HealthClient(draining.address, credentials.createInsecure())
  const watch = health.watch({ service: "" })
  const watched = new Promise((resolve) => watch.on("status", resolve))
  // Only a watch that has begun can be ended.
  await new Promise((resolve) => watch.on("data", resolve))
  await waitsFor("other", draining).toBe(true)
  wakeupsOf(draining.rest.engine.kernel).close()
  const closed = draining.close()
  expect(await poll).toEqual({ jobs: [] })
  expect(await ended).toMatchObject({ code: status.OK })
  expect(await watched).toMatchObject({ code: status.OK })
  await closed
  health.close()
})
