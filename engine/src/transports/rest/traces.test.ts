// Traces over HTTP while a tracer is registered: request, operation and job are one trace, and nothing private is in it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { linear } from "../../test-support/definitions.ts"
import { eventually } from "../../test-support/mills.ts"
import { type RecordedSpans, recordSpans, traceparentOf } from "../../test-support/recorded-spans.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const traceparent = `00-${TRACE}-${SPAN}-01`

let spans: RecordedSpans
let server: TestServer

beforeAll(async () => {
  spans = recordSpans()
  server = await createTestServer()
  await server.engine.upload(linear())
})
afterEach(() => spans.forget())
afterAll(async () => {
  await server.close()
  spans.stop()
})

const poll = async (jobType: string, headers: Record<string, string> = {}) => {
  const body = { workerId: "w", jobTypes: [jobType], maxJobs: 1 }
  return (await server.call("POST /v1/jobs/poll", { body, headers })).body.jobs[0]
}

/** A server's span ends when its answer has gone. */
const spanNamed = async (name: string) => {
  await eventually(() => spans.named(name).length).toBe(1)
  return spans.named(name)[0] as ReturnType<RecordedSpans["all"]>[number]
}

describe("a request with a traceparent", () => {
  test("request, operation and job are in its trace, each the child of the one before", async () => {
    const headers = { traceparent, tracestate: "rojo=1,congo=2" }
    const body = { definitionId: "linear", variables: { card: "canary-1" } }
    const { id } = (await server.call("POST /v1/instances", { body, headers })).body
    const request = await spanNamed("POST /v1/instances")
    const operation = await spanNamed("start-instance")
    expect(request.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN })
    expect(operation.parentSpanContext?.spanId).toBe(request.spanContext().spanId)
    const job = await poll("a")
    expect(job.traceparent).toBe(traceparentOf(operation.spanContext()))
    expect(job).toMatchObject({ instanceId: id, tracestate: "rojo=1,congo=2" })
    expect(job.traceparent).toContain(TRACE)
  })

  test("the next step is in it too", async () => {
    const first = await server.call("POST /v1/instances", {
      body: { definitionId: "linear" },
      headers: { traceparent },
    })
    const job = await poll("a")
    expect(job.instanceId).toBe(first.body.id)
    const report = { workerId: "w", leaseToken: job.leaseToken }
    expect((await server.call(`POST /v1/jobs/${job.id}/complete`, { body: report })).status).toBe(204)
    expect((await poll("b")).traceparent).toBe(job.traceparent)
  })

  test("a job that stands alone, and many at once", async () => {
    const headers = { traceparent }
    await server.call("POST /jobs", { body: { type: "alone", payload: {} }, headers })
    const operation = await spanNamed("enqueue-job")
    expect((await poll("alone")).traceparent).toBe(traceparentOf(operation.spanContext()))
    const jobs = [
      { type: "many", payload: {} },
      { type: "many", payload: {}, key: "k-1" },
    ]
    await server.call("POST /jobs/bulk", { body: { jobs }, headers })
    const bulk = await spanNamed("enqueue-jobs")
    expect(bulk.attributes).toMatchObject({ "messaging.batch.message_count": 2 })
    for (const _ of jobs) expect((await poll("many")).traceparent).toBe(traceparentOf(bulk.spanContext()))
    expect(spans.named("enqueue-job")).toHaveLength(1)
  })

  test("an intake", async () => {
    const headers = { traceparent, "idempotency-key": "order-canary" }
    expect((await server.call("POST /v1/intake/linear", { body: {}, headers })).status).toBe(202)
    const operation = await spanNamed("take-intake")
    expect(operation.parentSpanContext?.spanId).toBe(
      (await spanNamed("POST /v1/intake/{definitionId}")).spanContext().spanId,
    )
    expect((await poll("a")).traceparent).toBe(traceparentOf(operation.spanContext()))
  })

  test("a poll has a span where it brings one along, and none where it does not", async () => {
    await poll("nothing", { traceparent })
    expect((await spanNamed("POST /v1/jobs/poll")).parentSpanContext?.spanId).toBe(SPAN)
    spans.forget()
    await poll("nothing")
    await server.call("GET /healthz")
    await server.call("GET /v1/definitions/linear")
    await spanNamed("GET /v1/definitions/{definitionId}")
    expect(spans.all()).toHaveLength(1)
  })
})

test("a request without one begins a trace, and the line of the log names it", async () => {
  await server.call("POST /v1/instances", { body: { definitionId: "linear" } })
  const request = await spanNamed("POST /v1/instances")
  expect(request.parentSpanContext).toBeUndefined()
  expect((await poll("a")).traceparent).toContain(request.spanContext().traceId)
  expect(server.lines.at(-1)).toMatchObject({ traceparent: traceparentOf(request.spanContext()) })
})

test("the span of a request has method, route and status; only 500 and more is an error of it", async () => {
  await server.call("GET /v1/instances/01JN8Z3V5E8Q2R7W4Y6T9A1B3C", { headers: { "x-request-id": "r-1" } })
  const missing = await spanNamed("GET /v1/instances/{instanceId}")
  expect(missing.attributes).toEqual({
    "http.request.method": "GET",
    "http.route": "/v1/instances/{instanceId}",
    "http.response.status_code": 404,
    "millrace.request.id": "r-1",
  })
  expect(missing.status.code).toBe(0)
  const away = await createTestServer({ engine: server.engine, ready: () => false })
  await away.call("GET /readyz", { headers: { traceparent } })
  await away.close()
  expect(await spanNamed("GET /readyz")).toMatchObject({
    status: { code: 2 },
    attributes: { "http.response.status_code": 503, "error.type": "503" },
  })
})

test("an operation that is refused says by which code, and no more", async () => {
  await server.call("POST /v1/instances", { body: { definitionId: "no-canary" } })
  const { status, attributes, events } = await spanNamed("start-instance")
  expect([status, attributes["error.type"], events]).toEqual([{ code: 2 }, "not-found", []])
})

test("SEC-55: no payload, key, token or message is in a span", async () => {
  const headers = { traceparent, "idempotency-key": "canary-key" }
  const body = {
    definitionId: "linear",
    businessKey: "canary-business",
    linkingId: "canary-link",
    variables: { a: "canary-variable" },
  }
  await server.call("POST /v1/instances", { body, headers })
  await server.call("POST /v1/instances", { body, headers: { traceparent } })
  const submitted = { type: "quiet", payload: { a: "canary-payload" }, key: "canary-own", fair_key: "canary-fair" }
  await server.call("POST /jobs", { body: submitted, headers })
  await server.call("POST /jobs", { body: { ...submitted, payload: {} }, headers: { traceparent } })
  await server.call("POST /v1/intake/linear", { body: { a: "canary-taken" }, headers })
  await server.call("GET /v1/intake/linear/canary-key", { headers: { authorization: "Bearer mill_canary" } })
  const job = await poll("quiet")
  const failed = { workerId: "w", leaseToken: job.leaseToken, retryable: false, errorMessage: "canary-error" }
  await server.call(`POST /v1/jobs/${job.id}/fail`, { body: failed })
  await spanNamed("POST /v1/jobs/{jobId}/fail")
  const written = JSON.stringify(
    spans.all().map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
  )
  expect(spans.all().length).toBeGreaterThan(10)
  expect(written).not.toContain("canary")
  expect(written).not.toContain(job.leaseToken)
})
