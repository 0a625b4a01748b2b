// C-104: the same client over gRPC: the url chooses it, answers and errors are those of REST, and what gRPC lacks goes over REST.
import { status } from "@grpc/grpc-js"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { UnknownFieldError } from "../calls/unknown-fields.ts"
import { EngineClient } from "../client/engine-client.ts"
import type { EngineClientOptions } from "../client/engine-client-options.ts"
import { VERSION } from "../generated/version.ts"
import type { Definition } from "../generated/wire.ts"
import { failure } from "../test-support/failure.ts"
import { recordingLogger } from "../test-support/samples.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"
import { ScriptedGrpcEngine } from "../test-support/scripted-grpc-engine.ts"

let engine: ScriptedGrpcEngine
let client: EngineClient

const connect = (options: Partial<EngineClientOptions> = {}): EngineClient => {
  client?.close()
  client = new EngineClient({ url: engine.url, workerId: "w", ...options })
  return client
}

beforeEach(async () => {
  engine = await ScriptedGrpcEngine.start()
  connect()
})
afterEach(() => {
  client.close()
  engine.stop()
})

const instance = {
  id: "i",
  definitionId: "order",
  definitionVersion: 2,
  status: 2,
  currentStepIds: ["pay"],
  variables: { a: [1, null, { b: "c" }] },
  startedAt: "2025-01-01T00:00:00.123Z",
  completedAt: undefined,
  failureReason: "",
  businessKey: "",
  input: undefined,
  linkingId: "",
  parentId: "",
  undoneBy: "",
  restartOf: "",
  restartedAs: "",
  key: "",
  priority: "normal",
}

describe("calls", () => {
  test("C-104: a start goes out as told, under one key, and the instance comes back as over REST", async () => {
    engine.on("startInstance", () => ({ instance }))
    const started = await client.startInstance({ definitionId: "order", variables: { a: 1 }, businessKey: "k" })
    const { input, linkingId, parentId, undoneBy, restartOf, restartedAs, key, ...some } = instance
    const { completedAt, failureReason, businessKey, ...told } = some
    expect(started).toEqual({ ...told, status: "WAITING" })
    const [{ request, metadata } = expect.fail()] = engine.received
    expect(request).toMatchObject({
      definitionId: "order",
      variables: { a: 1 },
      businessKey: "k",
      definitionVersion: 0,
    })
    expect(metadata.get("idempotency-key")).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(metadata.get("user-agent")).toEqual([`millrace-typescript/${VERSION}`])
  })

  test.each([
    ["NaN", Number.NaN],
    ["an infinity", Number.POSITIVE_INFINITY],
    ["a BigInt", 1n],
  ])("C-104: %s in variables is the caller's error, and nothing is sent", async (_, value) => {
    const error = await failure(client.startInstance({ definitionId: "o", variables: { a: [value] } }))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toContain("cannot be sent")
    expect(engine.received).toEqual([])
  })

  test("C-104: what JSON cannot say is told in the same words on both wires", async () => {
    const circle: Record<string, unknown> = {}
    circle.a = circle
    const overRest = new EngineClient({ url: "http://127.0.0.1:9" })
    for (const [variables, words] of [
      [{ a: [1n] }, "a bigint cannot be sent: variables are what JSON can say"],
      [{ a: circle }, "the value is nested too deeply, or in a circle"],
    ] as const) {
      const start = { definitionId: "o", variables: variables as never }
      const told = await Promise.all([client, overRest].map((each) => failure(each.startInstance(start))))
      expect(told.map(({ name, message }) => ({ name, message }))).toEqual(
        [0, 1].map(() => ({ name: "TypeError", message: words })),
      )
    }
    overRest.close()
  })

  test("C-104: a definition keeps everything, the order of its conditions included", async () => {
    const expression = ["$", "{a}"].join("")
    const definition: Definition = {
      id: "order",
      name: "Order",
      deadline: "P1D",
      metadata: { owner: "ada" },
      inputSchema: { type: "object", required: ["amount"] },
      steps: [
        { id: "z", name: "Z", type: "DECISION", conditionalNextSteps: { "b > 1": "t", "a > 1": "w", true: "w" } },
        {
          id: "t",
          name: "T",
          type: "TRANSFORMATION",
          transformations: { z: expression, a: [1, { n: null }] },
          nextStep: "s",
        },
        {
          id: "s",
          name: "S",
          type: "SERVICE_TASK",
          jobType: "charge",
          retry: { retries: 0, base: "PT1S", jitter: "full" },
          timeout: { run: "PT5S" },
          onError: "continue",
          boundaryEvents: [{ type: "TIMER", duration: "PT1M", interrupting: false, targetStepId: "w" }],
        },
        {
          id: "w",
          name: "W",
          type: "WAIT",
          nextStep: "s",
          keepEarly: true,
          duration: "PT1H",
          boundaryEvents: [{ type: "ERROR", interrupting: true, targetStepId: "s" }],
        },
      ],
    }
    engine.on("uploadDefinition", () => ({ id: "order", version: 3, uploadedAt: "2025-01-01T00:00:00.000Z" }))
    expect(await client.uploadDefinition(definition)).toMatchObject({ id: "order", version: 3, name: "Order" })
    const sent = engine.received[0]?.request.definition
    engine.on("getDefinition", () => ({ definition: { ...(sent as object), version: 3 } }))
    const stored = await client.getDefinition("order")
    expect(stored).toEqual({ ...definition, version: 3 })
    const [decision] = stored.steps
    expect(Object.keys(decision?.type === "DECISION" ? decision.conditionalNextSteps : {})).toEqual([
      "b > 1",
      "a > 1",
      "true",
    ])
  })

  test("W-06: a definition with an unknown field is refused before it is sent: the message has no place for it", async () => {
    const step = { id: "s", name: "S", type: "SERVICE_TASK", jobTpye: "x" } as never
    const refused = await failure(client.uploadDefinition({ id: "o", name: "O", steps: [step] }))
    expect(refused).toBeInstanceOf(UnknownFieldError)
    expect(refused.message).toContain('did you mean "jobType"?')
    expect(engine.received).toEqual([])
  })

  test("C-104: a worker's calls: poll, heartbeat, exchange and single reports", async () => {
    const job = { id: "j", jobType: "mail", variables: { a: 1 }, leaseToken: "t", retriesRemaining: 0, attempt: 1 }
    engine.on("pollJobs", () => ({ jobs: [job] }))
    engine.on("heartbeat", () => ({ lockExpiresAt: "2025-01-01T00:00:30.000Z" }))
    engine.on("exchangeJobs", () => ({ results: [{ jobId: "j", outcome: 2 }], jobs: [job] }))
    const [polled] = await client.poll({ jobTypes: ["mail"], waitSeconds: 1 })
    expect(polled).toEqual({ ...job, instanceId: "", stepId: "", stepExecutionId: "", definitionId: "" })
    expect(await client.heartbeat("j", { leaseToken: "t" })).toEqual({ lockExpiresAt: "2025-01-01T00:00:30.000Z" })
    const exchanged = await client.exchange({ completed: [{ jobId: "j", leaseToken: "t", variables: { b: 2 } }] })
    expect(exchanged).toEqual({ results: [{ jobId: "j", outcome: "stale" }], jobs: [polled] })
    await client.complete("j", { leaseToken: "t", variables: { b: 2 } })
    await client.fail("j", { leaseToken: "t", retryable: true, errorMessage: "no", retryAfter: 0, stack: "at a" })
    const [, , , complete, fail] = engine.received
    expect(complete?.request).toEqual({ jobId: "j", workerId: "w", leaseToken: "t", variablesToSet: { b: 2 } })
    expect(fail?.request).toMatchObject({
      jobId: "j",
      workerId: "w",
      retryable: true,
      errorMessage: "no",
      retryAfter: 0,
      stack: "at a",
    })
  })

  test("C-104: what gRPC does not have goes over REST, or is refused at once", async () => {
    const rest = await ScriptedEngine.start()
    rest.on("/v1/schedules", () => ({ body: { items: [] } }))
    expect(await connect({ restUrl: rest.url }).schedules.list()).toEqual({ items: [] })
    const refused = await failure(connect().schedules.list())
    await rest.stop()
    expect(refused).toMatchObject({ name: "RestOnlyError" })
    expect(refused.message).toMatch(/^listSchedules is not in the gRPC contract: give the EngineClient a restUrl/)
  })

  test("C-104: readiness is what the health service tells", async () => {
    await client.ready()
    engine.serving = false
    const refused = await failure(client.ready({ maxAttempts: 1 }))
    expect(refused).toMatchObject({ code: "unavailable", status: 503, retryable: true })
    const old = await ScriptedGrpcEngine.start({ without: ["check"] })
    const tooOld = await failure(connect({ url: old.url }).ready())
    old.stop()
    expect(tooOld).toMatchObject({ name: "ServerTooOldError" })
  })

  test("the addresses of one client are of one transport", () => {
    expect(() => connect({ url: [engine.url, "http://127.0.0.1:1"] })).toThrow("give gRPC as url and REST as restUrl")
    expect(() => connect({ restUrl: engine.url })).toThrow("restUrl must be an http or https address")
  })
})

describe("errors", () => {
  test("C-104: a refusal has its catalogue code, its status on REST, its violations and its wait", async () => {
    const hinted = { field: "$.a", description: "is odd: add one", localizedMessage: { message: "is odd" } }
    const violations = [{ field: "$.id", description: "is missing" }, hinted]
    engine.on("uploadDefinition", () => ({
      status: status.INVALID_ARGUMENT,
      message: "$.id is missing",
      code: "bad-request",
      violations,
      metadata: { "x-request-id": "r-1" },
    }))
    expect(await failure(client.uploadDefinition({ id: "", name: "", steps: [] }))).toMatchObject({
      name: "MillraceError",
      code: "bad-request",
      status: 400,
      retryable: false,
      requestId: "r-1",
      details: [
        { path: "$.id", message: "is missing" },
        { path: "$.a", message: "is odd", hint: "add one" },
      ],
    })
    engine.on("pollJobs", () => ({
      status: status.RESOURCE_EXHAUSTED,
      message: "full",
      code: "backpressure",
      retryAfter: 3,
    }))
    const full = await failure(client.poll({ jobTypes: ["a"] }))
    expect(full).toMatchObject({ code: "backpressure", status: 503, retryable: true, retryAfter: 3 })
  })

  test("C-111: what may be sent again is sent again, a start under its key", async () => {
    let asked = 0
    engine.on("startInstance", () =>
      ++asked < 3 ? { status: status.UNAVAILABLE, message: "leaving", code: "unavailable" } : { instance },
    )
    await client.startInstance({ definitionId: "order" })
    const keys = engine.received.map(({ metadata }) => metadata.get("idempotency-key")[0])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
  })

  test("a deadline ends the wait, and an aborted signal rejects with its reason", async () => {
    engine.on("getInstance", () => "hang")
    expect(await failure(client.getInstance("i", { timeoutMs: 50, maxAttempts: 1 }))).toMatchObject({ kind: "timeout" })
    const abort = new AbortController()
    const called = failure(client.getInstance("aborted", { signal: abort.signal }))
    // The first call may have been over before it was sent.
    await expect.poll(() => engine.received.some(({ request }) => request.id === "aborted")).toBe(true)
    abort.abort(new Error("enough"))
    expect(await called).toMatchObject({ message: "enough" })
  })

  test("C-104: of two addresses the one that is gone is left at once", async () => {
    const other = await ScriptedGrpcEngine.start()
    other.on("getInstance", () => ({ instance }))
    const both = connect({ url: [engine.url, other.url] })
    engine.stop()
    expect(await both.getInstance("i")).toMatchObject({ id: "i" })
    other.stop()
  })
})

describe("what to do", () => {
  const once = { maxAttempts: 1 }

  test("C-104: nothing listens: is the engine running, and is it the port", async () => {
    engine.stop()
    const error = await failure(client.getInstance("i", once))
    expect(error).toMatchObject({ name: "TransportError", kind: "unreachable" })
    expect(error.message).toMatch(/Is the engine running, and is \d+ its gRPC port\? It is 9090/)
  })

  test("C-104: the REST port over gRPC: use http://, or another port", async () => {
    const rest = await ScriptedEngine.start()
    const { host } = new URL(rest.url)
    const error = await failure(connect({ url: `grpc://${host}` }).getInstance("i", once))
    await rest.stop()
    const advice = `use grpcs://${host} if it speaks TLS, http://${host} if it is the REST port`
    expect(error.message).toBe(
      `no connection to grpc://${host} for getInstance: Protocol error. It does not speak plaintext gRPC: ${advice}; ` +
        "gRPC is on 9090 and REST on 8080 unless told otherwise",
    )
  })

  test("C-104: TLS against plaintext: use grpc://", async () => {
    const error = await failure(connect({ url: engine.url.replace("grpc", "grpcs") }).getInstance("i", once))
    expect(error.message).toMatch(/^no connection to \S+ for getInstance: It does not speak TLS: use grpc:/)
    expect(error.message).toContain(`use ${engine.url}. OpenSSL says: `)
    expect(error.message).not.toContain("\n")
  })

  test("C-104: a wrong key: how to get another", async () => {
    engine.on("getInstance", () => ({
      status: status.UNAUTHENTICATED,
      message: "no such key",
      code: "unauthenticated",
    }))
    const error = await failure(connect({ apiKey: "mill_x" }).getInstance("i"))
    expect(error).toMatchObject({ code: "unauthenticated", status: 401 })
    expect(error.message).toContain("no such key. Check the apiKey of the client")
    expect(engine.received[0]?.metadata.get("authorization")).toEqual(["Bearer mill_x"])
  })

  test("C-111: an engine without the RPC is too old", async () => {
    const old = await ScriptedGrpcEngine.start({ without: ["exchangeJobs"] })
    const error = await failure(connect({ url: old.url }).exchange({}))
    old.stop()
    expect(error).toMatchObject({ name: "ServerTooOldError", code: "server-too-old", status: 501 })
    expect(error.message).toContain("is older than this SDK and does not know exchangeJobs. Upgrade the engine")
    engine.on("getInstance", () => ({
      status: status.UNIMPLEMENTED,
      message: "no",
      metadata: { "millrace-version": "0.0.9" },
    }))
    const told = await failure(connect().getInstance("i"))
    expect(told).toMatchObject({ name: "ServerTooOldError", serverVersion: "0.0.9" })
    expect(told.message).toContain("is version 0.0.9 and does not know getInstance. Upgrade the engine")
  })

  test("W-06: the engine's warnings come behind the answer, and are logged", async () => {
    engine.trailers = { warning: '299 - "two conditions could both hold"' }
    engine.on("getInstance", () => ({ instance }))
    const logger = recordingLogger()
    await connect({ logger }).getInstance("i")
    // The answer does not wait for them.
    await expect
      .poll(() => logger.lines)
      .toMatchObject([{ level: "warn", fields: { warning: "two conditions could both hold" } }])
  })
})
