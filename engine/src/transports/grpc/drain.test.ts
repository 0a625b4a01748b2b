// A drain waits for handlers that work, and for no caller that says nothing.
import { once } from "node:events"
import { connect } from "node:http2"
import { credentials, status } from "@grpc/grpc-js"
import { expect, test } from "vitest"
import { TIMEOUTS } from "../rest/test-support/test-server.ts"
import { ServerReflectionClient } from "./test-support/clients.ts"
import { createTestGrpc, type TestGrpc } from "./test-support/test-grpc.ts"

/** A drain that waited for it would outlast the test. */
const PATIENT = { timeouts: { ...TIMEOUTS, shutdownMs: 600_000 } }

/** Resolves once the server has heard of the calls before it: it answers calls of one connection in their order. */
const heard = (grpc: TestGrpc) => grpc.rpc.listInstances({})

test("a stream of jobs that was never opened ends", async () => {
  const grpc = await createTestGrpc(PATIENT)
  const stream = grpc.client.streamJobs()
  stream.on("data", () => {})
  const ended = new Promise((resolve) => stream.on("status", resolve))
  await heard(grpc)
  await grpc.server.close()
  expect(await ended).toMatchObject({ code: status.OK })
  await grpc.close()
})

test("an idle stream of reflection ends", async () => {
  const grpc = await createTestGrpc(PATIENT)
  const client = new ServerReflectionClient(grpc.address, credentials.createInsecure())
  const stream = client.serverReflectionInfo()
  const ended = new Promise((resolve) => stream.on("status", resolve))
  stream.write({ host: "", listServices: "" } as never)
  await once(stream, "data")
  stream.on("data", () => {})
  await grpc.server.close()
  expect(await ended).toMatchObject({ code: status.OK })
  client.close()
  await grpc.close()
})

test("F29: a call whose message is half sent is cut off", async () => {
  const grpc = await createTestGrpc(PATIENT)
  const session = connect(`http://${grpc.address}`)
  session.on("error", () => {})
  await once(session, "connect")
  const call = session.request({
    ":method": "POST",
    ":path": "/workflow.v1.WorkflowEngine/ListInstances",
    "content-type": "application/grpc",
    te: "trailers",
  })
  call.on("error", () => {})
  // The prefix of a message of ten bytes, and two of them.
  call.write(Buffer.from([0, 0, 0, 0, 10, 1, 2]))
  await new Promise<void>((resolve) => session.ping(() => resolve()))
  await grpc.server.close()
  session.destroy()
  await grpc.close()
})
