// The reader of dispatches against the stubs of the contract: every field that they know is read.
import { describe, expect, test } from "vitest"
import { JobDispatchEvent } from "../generated/proto/workflow/v1/engine.ts"
import { encodeEvent } from "../test-support/kafka.ts"
import { readDispatchEvent } from "./dispatch-event.ts"

const AT = "2025-01-01T00:00:30.000Z"
const WHOLE = {
  dedupId: "d-1",
  jobId: "j-1",
  instanceId: "i-1",
  stepExecutionId: "e-1",
  jobType: "charge",
  retriesRemaining: 2,
  createdAt: "2025-01-01T00:00:00.000Z",
  leaseToken: "t-1",
  attempt: 3,
  priority: "high",
  definitionId: "order",
  businessKey: "b-1",
  idempotencyKey: "k-1",
  timeoutSeconds: 1.5,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "a=b",
  stepId: "pay",
  payloadOmitted: false,
}

describe("W-20: a dispatch", () => {
  test("is read with every field of the contract", () => {
    const known = Object.keys(JobDispatchEvent.fromPartial({})).toSorted()
    expect(Object.keys({ ...WHOLE, schemaVersion: 1, jobPayload: 1 }).toSorted()).toEqual(known)
    const { jobId: id, dedupId, payloadOmitted, createdAt, ...facts } = WHOLE
    const read = readDispatchEvent(encodeEvent({ ...WHOLE, variables: { ä: [1, null] } }), AT)
    expect(read).toEqual({
      dedupId,
      job: { ...facts, id, variables: { ä: [1, null] }, lockExpiresAt: AT },
      lacksVariables: false,
    })
    expect(readDispatchEvent(encodeEvent({ ...WHOLE, payloadOmitted: true }), AT).lacksVariables).toBe(true)
  })

  test("of the first fields alone has what a handler needs", () => {
    const bare = { dedupId: "d", jobId: "j", instanceId: "i", stepExecutionId: "e", jobType: "t", retriesRemaining: -1 }
    const { job } = readDispatchEvent(encodeEvent(bare), AT)
    expect(job).toMatchObject({
      id: "j",
      leaseToken: "",
      attempt: 1,
      priority: "normal",
      idempotencyKey: "e",
      stepId: "",
    })
    expect(job.retriesRemaining).toBe(-1)
    expect(job).not.toHaveProperty("timeoutSeconds")
  })

  test.each([
    ["cut off", encodeEvent(WHOLE).subarray(0, -4)],
    ["no message", Buffer.from("hello, this is text")],
    ["empty", Buffer.alloc(0)],
    ["a payload that is no object", encodeEvent({ ...WHOLE, jobPayload: Buffer.from("[]") })],
    ["a payload that is no JSON", encodeEvent({ ...WHOLE, jobPayload: Buffer.from("{") })],
  ])("that is %s is refused", (_, value) => {
    expect(() => readDispatchEvent(value, AT)).toThrow()
  })
})
