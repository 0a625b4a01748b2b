// A job comes before the answer to the call that made it. On one connection HTTP/2 would send the head of the answer first, and HTTP/1.1 would
// send the whole of it.
import { request as httpRequest } from "node:http"
import { connect } from "node:http2"
import { StartInstanceRequest, StreamJobsRequest } from "@millrace/sdk/proto"
import { expect, test } from "vitest"
import { wakeupsOf } from "../../operations/jobs/claim/wakeups.ts"
import { eventually } from "../../test-support/mills.ts"
import { createTestGrpc, type TestGrpc } from "./test-support/test-grpc.ts"

const ID = "departing"

const framed = (message: Uint8Array) => Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])

type Caller = ReturnType<typeof connectTo>["call"]

/** A client of gRPC tells of an answer at its end only: here its head counts. */
function connectTo(address: string) {
  const session = connect(`http://${address}`)
  const call = (rpc: string, message: Uint8Array) => {
    const path = `/workflow.v1.WorkflowEngine/${rpc}`
    const kind = { "content-type": "application/grpc", te: "trailers" }
    const stream = session.request({ ":method": "POST", ":path": path, ...kind })
    stream.write(framed(message))
    return stream
  }
  return { call, close: () => session.destroy() }
}

/** Starts an instance over a wire, and tells when the answer begins. */
const STARTS: Readonly<Record<string, (grpc: TestGrpc, call: Caller, answered: () => void) => void>> = {
  gRPC(_, call, answered) {
    const request = StartInstanceRequest.fromPartial({ definitionId: ID, variables: {} })
    const start = call("StartInstance", StartInstanceRequest.encode(request).finish())
    start.on("response", answered)
    start.end()
  },
  REST(grpc, _, answered) {
    const url = `${grpc.rest.url}/v1/instances`
    const start = httpRequest(url, { method: "POST", headers: { "content-type": "application/json" } })
    start.on("response", answered)
    start.end(JSON.stringify({ definitionId: ID }))
  },
}

test.each(Object.entries(STARTS))(
  "a job leaves before the answer over %s to the start that made it",
  async (_, start) => {
    const grpc = await createTestGrpc()
    const steps = [{ id: "work", name: "work", type: 1, jobType: ID }]
    await grpc.rpc.uploadDefinition({ definition: { id: ID, name: ID, steps } as never })
    const { call, close } = connectTo(grpc.address)
    const came: string[] = []
    const open = { workerId: "w", jobTypes: [ID], leaseSeconds: 60, credit: 2 }
    const jobs = call("StreamJobs", StreamJobsRequest.encode(StreamJobsRequest.fromPartial({ open })).finish())
    jobs.on("data", () => came.push("job"))
    for (const _ of ["first", "second"]) {
      await eventually(async () => wakeupsOf(grpc.rest.engine.kernel).waitingFor()).toContain(ID)
      came.length = 0
      start(grpc, call, () => came.push("answer"))
      await eventually(async () => came.length).toBe(2)
      expect(came).toEqual(["job", "answer"])
    }
    close()
    await grpc.close()
  },
)
