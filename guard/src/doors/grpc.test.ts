// The guard in front of a real gRPC server.
import {
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
} from "@grpc/grpc-js"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "../create-guard.ts"
import type { RunningGuard } from "../guard.ts"
import { type SettableClock, settableClock } from "../test-support/settable-clock.ts"
import { guardInterceptor } from "./grpc.ts"

const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value }
const ECHO: MethodDefinition<Buffer, Buffer> = {
  path: "/test.Echo/Say",
  requestStream: false,
  responseStream: false,
  requestSerialize: bytes.serialize,
  requestDeserialize: bytes.deserialize,
  responseSerialize: bytes.serialize,
  responseDeserialize: bytes.deserialize,
}

let clock: SettableClock
let guard: RunningGuard
let server: Server
let client: Client
let served = 0
let agents: string[] = []

beforeEach(async () => {
  clock = settableClock()
  guard = createGuard({ clock, random: () => 0.5, limits: { gateway: { requests: 20, windowMs: 60_000 } } })
  let calls = 0
  const interceptor = guardInterceptor({
    guard,
    identify: ({ metadata }) => {
      if (metadata.get("key")[0] === "unreadable") throw new Error("no such key")
      return { routeClass: "gateway", client: `key:${metadata.get("key")[0] ?? "none"}` }
    },
    requestId: () => `call-${++calls}`,
  })
  served = 0
  agents = []
  server = new Server({ interceptors: [interceptor] })
  server.addService(
    { Say: ECHO },
    {
      Say: (call: { request: Buffer; metadata: Metadata }, answer: (error: null, value: Buffer) => void) => {
        served++
        agents.push(String(call.metadata.get("user-agent")[0]))
        answer(null, call.request)
      },
    },
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.primary_user_agent": "BadBot" })
})
afterEach(async () => {
  client.close()
  server.forceShutdown()
  await guard.close()
})

interface Answer {
  readonly code: status
  readonly details: string
  readonly trailer: Record<string, unknown>
  readonly headers: Record<string, unknown>
}

const say = (key = "1") =>
  new Promise<Answer>((resolve) => {
    const metadata = new Metadata()
    metadata.set("key", key)
    let headers = {}
    const call = client.makeUnaryRequest(
      ECHO.path,
      ECHO.requestSerialize,
      ECHO.responseDeserialize,
      Buffer.from("hello"),
      metadata,
      (error: ServiceError | null) =>
        resolve({
          code: error?.code ?? status.OK,
          details: error?.details ?? "",
          trailer: error?.metadata.getMap() ?? {},
          headers,
        }),
    )
    call.on("metadata", (received: Metadata) => {
      headers = received.getMap()
    })
  })

describe("the gRPC interceptor", () => {
  test("E-F1: of 30 parallel calls exactly the limit is served; the others never reach the method", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => say()))
    const refused = answers.filter(({ code }) => code === status.RESOURCE_EXHAUSTED)
    expect([refused.length, served]).toEqual([10, 20])
    expect(refused[0]?.trailer["retry-after"]).toBe("60")
    expect((await say("2")).code).toBe(status.OK)
  })

  test("E-35: a call whose caller cannot be told is not served", async () => {
    const { code, details } = await say("unreadable")
    expect([code, details, served]).toEqual([status.INTERNAL, "internal error", 0])
  })

  test("E-04: the address of a call is that of its connection, without the port", async () => {
    await guard.block({ kind: "address", value: "127.0.0.1", reason: "scans", by: "ada" })
    expect([(await say()).code, served]).toEqual([status.PERMISSION_DENIED, 0])
  })

  test("E-08: an allowed call tells what is left", async () => {
    expect((await say()).headers).toMatchObject({ "x-ratelimit-remaining": "19" })
  })

  test("E-32: a blocked agent gets PERMISSION_DENIED and is not told why", async () => {
    const limited = (await Promise.all(Array.from({ length: 21 }, () => say()))).find(({ code }) => code !== status.OK)
    await guard.block({ kind: "agent", value: agents[0] as string, reason: "secret", by: "ada" })
    const { code, details } = await say()
    expect(code).toBe(status.PERMISSION_DENIED)
    expect(details).toBe(limited?.details)
    expect(details).not.toMatch(/secret|rule|block/)
  })

  test("E-13, E-36: a throttled call is served after its delay", async () => {
    for (let at = 0; at < 19; at++) {
      expect((await say()).code).toBe(status.OK)
      clock.advance(at % 2 === 0 ? 4_360 : 3_640)
    }
    const answer = say()
    await expect.poll(() => guard.counts.held).toBe(1)
    clock.advance(2_000)
    expect(await answer).toMatchObject({ code: status.OK, headers: { "retry-after": "2" } })
  })

  test("a call that is cancelled while it is held leaves its place", async () => {
    for (let at = 0; at < 19; at++) {
      await say()
      clock.advance(at % 2 === 0 ? 4_360 : 3_640)
    }
    const metadata = new Metadata()
    metadata.set("key", "1")
    const call = client.makeUnaryRequest(
      ECHO.path,
      ECHO.requestSerialize,
      ECHO.responseDeserialize,
      Buffer.from("x"),
      metadata,
      () => {},
    )
    await expect.poll(() => guard.counts.held).toBe(1)
    call.cancel()
    await expect.poll(() => guard.counts.held).toBe(0)
  })
})
