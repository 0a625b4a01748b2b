// Tracing by the environment: spans arrive at a collector, a host's own tracer is left alone, and nothing is loaded otherwise.
import { EventEmitter, once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { trace } from "@opentelemetry/api"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { serve } from "./cli/commands/serve/serve.ts"
import { runCommand } from "./cli/test-support/run-command.ts"
import { loadConfig } from "./config.ts"
import { enqueueJob } from "./operations/jobs/enqueue/enqueue-job.ts"
import { createLogger } from "./support/log.ts"
import { isTracing, openSpan } from "./support/spans.ts"
import { eventually } from "./test-support/mills.ts"
import { recordSpans } from "./test-support/recorded-spans.ts"
import { createTestEngine } from "./test-support/test-engine.ts"
import { startTracing } from "./tracing.ts"
import { createTestServer } from "./transports/rest/test-support/test-server.ts"

interface Received {
  readonly url: string
  readonly authorization: string | undefined
  readonly text: string
}

const received: Received[] = []
let status = 200
let collector: Server
let lines: Record<string, unknown>[] = []
const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } })

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url = "", headers } = request
    received.push({ url, authorization: headers.authorization, text: Buffer.concat(chunks).toString() })
    response.writeHead(status, { "content-type": "application/json" }).end("{}")
  }).listen(0, "127.0.0.1")
  await once(collector, "listening")
})
afterAll(() => collector.close())
beforeEach(() => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(collector.address() as AddressInfo).port}`)
})
afterEach(() => {
  vi.unstubAllEnvs()
  received.length = 0
  lines = []
  status = 200
})

const span = (name: string) => openSpan({ name, kind: "server", parent: undefined, attributes: {} })

/** Names of the spans that have arrived, and the service they are of. */
const arrived = () =>
  received.flatMap(({ text }) =>
    JSON.parse(text).resourceSpans.flatMap((of: Arrived) =>
      of.scopeSpans.flatMap((scope) => scope.spans.map(({ name }) => [serviceOf(of), name])),
    ),
  )

interface Arrived {
  readonly resource: {
    readonly attributes: { readonly key: string; readonly value: { readonly stringValue: string } }[]
  }
  readonly scopeSpans: { readonly spans: { readonly name: string }[] }[]
}

const serviceOf = ({ resource }: Arrived) =>
  resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue

describe("where the environment names a collector", () => {
  test("the spans of a request arrive there, at the latest when the process stops", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer collector")
    const tracing = await startTracing(log)
    const server = await createTestServer()
    await server.call("POST /jobs", { body: { type: "sent", payload: { a: "canary" } } })
    await server.close()
    await tracing?.stop()
    expect(arrived().sort()).toEqual([
      ["millrace", "POST /jobs"],
      ["millrace", "enqueue-job"],
    ])
    expect(received[0]).toMatchObject({ url: "/v1/traces", authorization: "Bearer collector" })
    expect(JSON.stringify(received)).not.toContain("canary")
    expect(isTracing()).toBe(false)
    expect(JSON.stringify(lines)).not.toContain("Bearer")
  })

  test("OTEL_SERVICE_NAME and the address of traces alone are kept to", async () => {
    const address = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/my/traces`
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address)
    vi.stubEnv("OTEL_SERVICE_NAME", "orders")
    const tracing = await startTracing(log)
    span("one").end()
    await tracing?.stop()
    expect([arrived(), received[0]?.url]).toEqual([[["orders", "one"]], "/my/traces"])
  })

  test.each([
    ["always_on", undefined, 20],
    ["always_off", undefined, 0],
    ["traceidratio", "0", 0],
    ["traceidratio", "1", 20],
    ["parentbased_always_off", undefined, 0],
    ["parentbased_traceidratio", "1", 20],
    ["", undefined, 20],
  ])("OTEL_TRACES_SAMPLER=%s %s takes %s of 20", async (sampler, share, taken) => {
    vi.stubEnv("OTEL_TRACES_SAMPLER", sampler)
    if (share !== undefined) vi.stubEnv("OTEL_TRACES_SAMPLER_ARG", share)
    const tracing = await startTracing(log)
    for (let n = 0; n < 20; n++) span("one").end()
    await tracing?.stop()
    expect(arrived()).toHaveLength(taken)
    expect(lines.map(({ msg }) => msg)).toEqual(["spans are sent by OTLP"])
  })

  test("a sampler that nobody knows is told, and takes everything", async () => {
    vi.stubEnv("OTEL_TRACES_SAMPLER", "parentbased_jaeger_remote")
    const tracing = await startTracing(log)
    span("one").end()
    await tracing?.stop()
    expect(arrived()).toHaveLength(1)
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "warn", tracing: expect.stringContaining("jaeger_remote") }),
    )
  })

  test("a caller who has decided against it is not recorded, and what it started is carried on all the same", async () => {
    const tracing = await startTracing(log)
    const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
    const one = openSpan({ name: "one", kind: "server", parent, attributes: {} })
    expect(one.spanContext()).toMatchObject({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", traceFlags: 0 })
    one.end()
    await tracing?.stop()
    expect(arrived()).toEqual([])
  })

  test("a collector that refuses is told of in the log, and stops nobody", async () => {
    status = 400
    const tracing = await startTracing(log)
    // As many as leave at once.
    for (let n = 0; n < 512; n++) span("one").end()
    await eventually(() => lines.map(({ level, msg }) => [level, msg])).toContainEqual(["warn", "spans may not arrive"])
    span("two").end()
    await tracing?.stop()
    expect(lines).toContainEqual(expect.objectContaining({ level: "warn", msg: "the last spans were not sent" }))
    expect(isTracing()).toBe(false)
  })
})

describe("the commands that run something trace", () => {
  test("millrace start: what it has not sent is sent when it stops", async () => {
    const signals = new EventEmitter()
    const stopped: string[] = []
    const startEngine = async () => {
      span("served").end()
      setImmediate(() => signals.emit("SIGTERM"))
      return { restUrl: "", metricsUrl: "", grpcUrl: "", stop: async () => void stopped.push("the engine") }
    }
    const config = loadConfig({
      env: { WE_POSTGRES_DSN: "postgres://nowhere/x", WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" },
    })
    const terminal = { write: () => true }
    await serve({ config, log, version: "0", mode: "start", startEngine, terminal, force: () => {}, signals })
    expect(arrived()).toEqual([["millrace", "served"]])
    expect(stopped).toEqual(["the engine"])
    expect(isTracing()).toBe(false)
  })

  test("millrace work: the attempts of its handlers", async () => {
    const engine = await createTestEngine()
    const request = { jobType: "tick", payload: {}, whenFull: "refuse", actor: "local" } as const
    await enqueueJob(engine.kernel, request)
    const module = fileURLToPath(new URL("./cli/test-support/works.ts", import.meta.url))
    const env = { WE_POSTGRES_DSN: engine.dsn, WE_LOG_LEVEL: "error", DB_MAX_CONNS: "4" }
    await runCommand(["work", module, "--once"], { env })
    await engine.close()
    expect(arrived()).toEqual([["millrace", "job tick"]])
    expect(isTracing()).toBe(false)
  })
})

describe("it is left alone", () => {
  test("where a host has registered a tracer of its own", async () => {
    const recorded = recordSpans()
    expect(await startTracing(log)).toBeUndefined()
    span("one").end()
    expect(recorded.named("one")).toHaveLength(1)
    recorded.stop()
    expect(received).toEqual([])
  })

  test.each([
    ["nothing is set", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    ["the SDK is disabled", { OTEL_SDK_DISABLED: "true" }],
    ["there is no exporter", { OTEL_TRACES_EXPORTER: "none" }],
  ])("where %s", async (_what, env) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    expect(await startTracing(log)).toBeUndefined()
    expect([isTracing(), lines]).toEqual([false, []])
  })

  test("a tracer that another copy of the API has registered counts", () => {
    const foreign = { getTracer: () => trace.getTracer("x") }
    const api = Symbol.for("opentelemetry.js.api.1")
    const globals = globalThis as unknown as Record<symbol, Record<string, unknown>>
    globals[api] = { ...globals[api], version: "1.9.1", trace: foreign }
    expect(isTracing()).toBe(true)
    trace.disable()
    expect(isTracing()).toBe(false)
  })
})
