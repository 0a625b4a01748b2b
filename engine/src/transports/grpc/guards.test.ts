// What the gRPC door refuses: strangers, missing scopes, foreign hosts, and messages that would hurt later.
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js"
import { StartInstanceRequest, WorkflowEngineService } from "@millrace/sdk/proto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { wakeupsOf } from "../../operations/jobs/claim/wakeups.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./test-support/test-grpc.ts"

/** Written down once more, so that a slip in a table of routes is seen. */
const SCOPES = {
  uploadDefinition: "definitions:write",
  getDefinition: "definitions:read",
  listDefinitions: "definitions:read",
  startInstance: "instances:write",
  getInstance: "instances:read",
  getInstanceHistory: "instances:read",
  cancelInstance: "instances:write",
  listInstances: "instances:read",
  pollJobs: "jobs:work",
  completeJob: "jobs:work",
  failJob: "jobs:work",
  completeUserTask: "tasks:write",
  signalWait: "instances:write",
  retryStep: "instances:write",
  heartbeat: "jobs:work",
  exchangeJobs: "jobs:work",
  streamJobs: "jobs:work",
} as const

const ALL = ["definitions:read", "definitions:write", "instances:read", "instances:write", "jobs:work", "tasks:write"]
const keys = Object.fromEntries([
  ...ALL.map((scope) => [`without-${scope}`, { id: scope, name: scope, scopes: ALL.filter((one) => one !== scope) }]),
  ["one-type", { id: "one", name: "one", scopes: ["jobs:work:mine"] }],
])

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc({ auth: "required", keys })
})
afterAll(() => grpc.close())

type Name = keyof typeof SCOPES
const names = Object.keys(WorkflowEngineService) as Name[]

/** Any RPC, the stream included. */
async function call(name: Name, metadata: Record<string, string> = {}): Promise<unknown> {
  if (name !== "streamJobs") return grpc.rpc[name]({}, { metadata })
  const sent = new Metadata()
  for (const [key, value] of Object.entries(metadata)) sent.set(key, value)
  const stream = grpc.client.streamJobs(sent)
  return new Promise((_, reject) => stream.on("error", reject).on("data", () => {}))
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe("SEC-05: callers", () => {
  test("every RPC of the contract is in the table of scopes", () => {
    expect(names.sort()).toEqual(Object.keys(SCOPES).sort())
  })

  test.each(names)("%s without credentials is UNAUTHENTICATED", async (name) => {
    expect(await refusalOf(call(name))).toMatchObject({ status: "UNAUTHENTICATED", reason: "unauthenticated" })
  })

  test.each(names)("%s with a key that is not known is UNAUTHENTICATED", async (name) => {
    expect(await refusalOf(call(name, bearer("mill_x")))).toMatchObject({ status: "UNAUTHENTICATED" })
  })

  test.each(names)("%s without its scope is PERMISSION_DENIED, and with it it gets further", async (name) => {
    const scope = SCOPES[name]
    expect(await refusalOf(call(name, bearer(`without-${scope}`)))).toMatchObject({
      status: "PERMISSION_DENIED",
      message: `this key has no scope ${scope}`,
    })
  })

  const opened = (key: string, jobType: string) => {
    const metadata = new Metadata()
    metadata.set("authorization", `Bearer ${key}`)
    const stream = grpc.client.streamJobs(metadata)
    const ended = new Promise<{ code: number }>((resolve) => stream.on("error", () => {}).on("status", resolve))
    stream.on("data", () => {})
    stream.write({ open: { workerId: "w", jobTypes: [jobType], leaseSeconds: 60, credit: 1 } } as never)
    return { stream, ended }
  }

  test("a key for one job type opens no stream of another", async () => {
    expect(await opened("one-type", "other").ended).toMatchObject({ code: status.PERMISSION_DENIED })
  })

  test("a key that is revoked loses its stream", async () => {
    const known = keys as Record<string, unknown>
    known.leaving = { id: "leaving", name: "leaving", scopes: ["jobs:work"] }
    const { ended } = opened("leaving", "any")
    await expect.poll(() => wakeupsOf(grpc.rest.engine.kernel).waitingFor()).toContain("any")
    delete known.leaving
    expect(await ended).toMatchObject({ code: status.UNAUTHENTICATED })
  })

  test("a key for one job type polls no other", async () => {
    const metadata = bearer("one-type")
    const request = { workerId: "w", jobTypes: ["other"] }
    expect(await refusalOf(grpc.rpc.pollJobs(request, { metadata }))).toMatchObject({ status: "PERMISSION_DENIED" })
    expect(await grpc.rpc.pollJobs({ ...request, jobTypes: ["mine"] }, { metadata })).toEqual({ jobs: [] })
  })

  test("W-05: a host name that is not ours is refused", async () => {
    const options = { "grpc.default_authority": "evil.example:9090" }
    const stranger = new Client(grpc.address, credentials.createInsecure(), options)
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

describe("messages", () => {
  let open: TestGrpc
  beforeAll(async () => {
    open = await createTestGrpc()
    const steps = [{ id: "a", name: "a", type: 2 }]
    await open.rpc.uploadDefinition({ definition: { id: "ask", name: "ask", steps } as never })
  })
  afterAll(() => open.close())

  const start = (variables: object) => open.rpc.startInstance({ definitionId: "ask", variables })
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

  test.each([
    ["SEC-20: a NUL character", { a: "\0" }, "INVALID_ARGUMENT"],
    ["SEC-20: a key that changes prototypes", JSON.parse('{"__proto__": {"isAdmin": true}}'), "INVALID_ARGUMENT"],
    ["SEC-20: constructor", { constructor: 1 }, "INVALID_ARGUMENT"],
    ["SEC-20: too deep", nested(40), "INVALID_ARGUMENT"],
    ["SEC-20: deeper than any stack should go", nested(160), "INVALID_ARGUMENT"],
    [
      "SEC-20: too many keys",
      Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`k${at}`, 1])),
      "INVALID_ARGUMENT",
    ],
    ["SEC-20: a whole number that is not exact", { a: 2 ** 60 }, "INVALID_ARGUMENT"],
    ["SEC-20: a string that is too long", { a: "x".repeat(300_000) }, "RESOURCE_EXHAUSTED"],
    ["SEC-20: too large as a whole", { a: Array.from({ length: 40 }, () => "x".repeat(50_000)) }, "RESOURCE_EXHAUSTED"],
  ])("%s", async (_, variables, code) => {
    expect(await refusalOf(start(variables))).toMatchObject({ status: code })
    expect((await open.rpc.listInstances({})).total).toBe(0)
  })

  /** Bytes of our own, where the stubs would write none such. */
  const raw = (bytes: Uint8Array, path: string = WorkflowEngineService.startInstance.path): Promise<unknown> =>
    new Promise((resolve, reject) => {
      open.client.makeUnaryRequest(
        path,
        () => Buffer.from(bytes),
        WorkflowEngineService.startInstance.responseDeserialize,
        {},
        (error: ServiceError | null, answer) => (error ? reject(error) : resolve(answer)),
      )
    })
  const message = StartInstanceRequest.encode(
    StartInstanceRequest.fromPartial({ definitionId: "ask", variables: { n: 1.5 }, businessKey: "" }),
  ).finish()

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("SEC-20: %s in a Struct", async (value) => {
    const bytes = Buffer.from(message)
    bytes.writeDoubleLE(value, bytes.length - 8)
    expect(await refusalOf(raw(bytes))).toMatchObject({ status: "INVALID_ARGUMENT", reason: "bad-request" })
  })

  test("bytes that are no message are INVALID_ARGUMENT", async () => {
    expect(await refusalOf(raw(Buffer.from([0x0a, 0xff])))).toMatchObject({ status: "INVALID_ARGUMENT" })
    expect(await refusalOf(raw(message.slice(0, -3)))).toMatchObject({ status: "INVALID_ARGUMENT" })
  })

  test.each([
    ["a field", { definitionId: "ask", businessKey: "key" }],
    ["a variable", { definitionId: "ask", variables: { name: "key" } }],
    ["the name of a variable", { definitionId: "ask", variables: { key: 1 } }],
  ])(
    "SEC-20: bytes that are no UTF-8 in %s are refused, and the sign for such bytes is text like any other",
    async (_, fields) => {
      const bytes = Buffer.from(StartInstanceRequest.encode(StartInstanceRequest.fromPartial(fields)).finish())
      const at = bytes.lastIndexOf("key")
      const broken = Buffer.from(bytes)
      broken[at] = 0xff
      expect(await refusalOf(raw(broken))).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: expect.stringContaining("not UTF-8"),
      })
      bytes.write("\ufffd", at)
      expect(await raw(bytes)).toMatchObject({ instance: { definitionId: "ask" } })
    },
  )

  test("W-10: fields that this version does not know are ignored", async () => {
    // Field 999 with a string, field 998 with a number.
    const unknown = Buffer.from([0xba, 0x3e, 2, 0x68, 0x69, 0xb0, 0x3e, 7])
    expect(await raw(Buffer.concat([message, unknown]))).toMatchObject({ instance: { definitionId: "ask" } })
  })

  test("W-10: an RPC that this version does not know is UNIMPLEMENTED, and the connection goes on", async () => {
    const newer = raw(message, "/workflow.v1.WorkflowEngine/ReadMinds")
    expect(await refusalOf(newer)).toMatchObject({ status: "UNIMPLEMENTED", reason: "method-not-allowed" })
    expect(await open.rpc.listDefinitions({})).toMatchObject({ total: 1 })
  })
})
