// Handlers in this process while a tracer is registered: each attempt is a span in the trace of whoever asked for the work.
import { SpanKind, trace } from "@opentelemetry/api"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { eventually, gate } from "../../test-support/mills.ts"
import { type RecordedSpans, recordSpans, traceparentOf } from "../../test-support/recorded-spans.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createTestServer, type TestServer } from "../../transports/rest/test-support/test-server.ts"
import { handledAll } from "../authoring/handler.ts"
import { job } from "../authoring/job.ts"
import { NonRetryableError } from "../authoring/retries/error-kind.ts"
import { workflow } from "../authoring/workflow.ts"
import { Mill } from "./mill.ts"
import { Worker } from "./worker.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

let spans: RecordedSpans
let engine: TestEngine
let server: TestServer
let mill: Mill

beforeAll(async () => {
  spans = recordSpans()
  engine = await createTestEngine()
  server = await createTestServer({ engine })
  mill = new Mill(engine.kernel, "p1", async () => {})
})
afterEach(() => spans.forget())
afterAll(async () => {
  await mill.stop()
  await server.close()
  await engine.close()
  spans.stop()
})

const submit = (type: string, more: object = {}) =>
  server.call("POST /jobs", { body: { type, payload: {}, ...more }, headers: { traceparent } })

const named = (name: string, at = 0) => {
  const span = spans.named(name)[at]
  if (!span) throw new Error(`there is no span ${name} among ${spans.all().map((one) => one.name)}`)
  return span
}

const parentOf = (name: string) => named(name).parentSpanContext?.spanId
const idOf = (name: string) => named(name).spanContext().spanId

test("one trace from a request to the handler, what it does, and the jobs and runs it asks for", async () => {
  const last = job("last", () => ({}))
  const flow = workflow("traced-flow", { steps: [async function only() {}] })
  const first = job("first", async () => {
    await trace.getTracer("a handler").startActiveSpan("its own work", async (span) => {
      await mill.enqueue(last, {})
      await mill.start(flow, {})
      span.end()
    })
  })
  await submit("first")
  await mill.drain([first, last, flow])
  await eventually(() => spans.named("POST /jobs").length).toBe(1)
  expect(new Set(spans.all().map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE]))
  expect(parentOf("POST /jobs")).toBe("00f067aa0ba902b7")
  expect(named("enqueue-job").parentSpanContext?.spanId).toBe(idOf("POST /jobs"))
  expect(parentOf("job first")).toBe(idOf("enqueue-job"))
  expect(parentOf("its own work")).toBe(idOf("job first"))
  expect(named("enqueue-job", 1).parentSpanContext?.spanId).toBe(idOf("its own work"))
  expect(parentOf("start-instance")).toBe(idOf("its own work"))
  expect(parentOf("job last")).toBe(named("enqueue-job", 1).spanContext().spanId)
  expect(parentOf("job traced-flow")).toBe(idOf("start-instance"))
})

test("the span of an attempt says what is done, where and how often", async () => {
  const { id } = (await submit("described", { priority: "high" })).body
  await mill.drain([job("described", () => {})])
  const span = named("job described")
  expect(span.kind).toBe(SpanKind.CONSUMER)
  expect(span.attributes).toEqual({
    "messaging.system": "millrace",
    "messaging.operation.type": "process",
    "messaging.destination.name": "described",
    "messaging.message.id": id,
    "millrace.job.type": "described",
    "millrace.job.id": id,
    "millrace.attempt": 1,
    "millrace.priority": "high",
    "millrace.outcome": "complete",
  })
})

test("of a run it also says which instance and step", async () => {
  const flow = workflow("named-flow", { steps: [async function only() {}] })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(named("job named-flow").attributes).toMatchObject({
    "millrace.instance.id": id,
    "millrace.step.id": "named-flow",
    "millrace.definition.id": "named-flow",
  })
})

test("work that nobody asked for within a trace begins one; so does each that is begun outside of any", async () => {
  await trace.getTracer("a host").startActiveSpan("while the worker began", async (span) => {
    await engine.db.script("select 1")
    await mill.enqueue("rootless", {})
    await mill.drain([job("rootless", () => {})])
    span.end()
  })
  expect(parentOf("enqueue-job")).toBe(idOf("while the worker began"))
  expect(parentOf("job rootless")).toBe(idOf("enqueue-job"))
  spans.forget()
  await mill.enqueue("rootless", {})
  await mill.drain([job("rootless", () => {})])
  expect(named("enqueue-job").parentSpanContext).toBeUndefined()
  expect(named("job rootless").spanContext().traceId).toBe(named("enqueue-job").spanContext().traceId)
})

describe("attempts that fail", () => {
  test("SEC-55: are errors, tried again in the same trace, and say nothing of what the handler said", async () => {
    let attempts = 0
    const failing = job("failing", () => {
      attempts += 1
      if (attempts === 1) throw new Error("canary: what the handler said")
      throw new NonRetryableError("canary: and said again")
    })
    await mill.enqueue(failing, { canary: 1 }, { retry: "immediate", retries: 1, key: "canary", fairKey: "canary" })
    await mill.drain([failing])
    const both = spans.named("job failing")
    expect(
      both.map(({ status, attributes }) => [status, attributes["millrace.attempt"], attributes["millrace.retryable"]]),
    ).toEqual([
      [{ code: 2 }, 1, true],
      [{ code: 2 }, 2, false],
    ])
    expect(new Set(both.map((span) => span.parentSpanContext?.spanId)).size).toBe(1)
    const written = spans.all().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    expect(JSON.stringify(written)).not.toContain("canary")
  })

  test("one that runs for too long ends its span when its time is over, and not again", async () => {
    const hung = gate()
    const slow = job("slow", () => hung.passed)
    await mill.enqueue(slow, {}, { timeout: 50, retries: 0 })
    const worker = await mill.work([slow])
    await eventually(() => spans.named("job slow").length).toBe(1)
    hung.open()
    await worker.stop()
    expect(named("job slow")).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "TimeoutError" } })
    expect(spans.named("job slow")).toHaveLength(1)
  })
})

test("a child run, and the run that waits for it, are in one trace", async () => {
  const child = workflow("child-run", async () => "done")
  const parent = workflow("parent-run", async (run) => run.child(child, {}))
  const { id } = await mill.start(parent, {})
  const worker = await mill.work([parent, child])
  await mill.runs.handle(id).ended()
  await worker.stop()
  expect(new Set(spans.all().map((span) => span.spanContext().traceId)).size).toBe(1)
  expect(parentOf("take-intake")).toBe(idOf("job parent-run"))
  expect(parentOf("job child-run")).toBe(idOf("take-intake"))
  expect(named("job parent-run").attributes["millrace.outcome"]).toBe("park")
})

test("what a schedule starts by hand goes on with the trace of whoever ran it", async () => {
  await mill.schedules.put("nightly", { cron: "0 3 * * *", start: "nightly-job" })
  await trace.getTracer("a host").startActiveSpan("by hand", async (span) => {
    await mill.schedules.run("nightly")
    span.end()
  })
  expect(parentOf("enqueue-job")).toBe(idOf("by hand"))
})

test("a handler of the engine's own worker is told the context of its job", async () => {
  const seen: (string | undefined)[] = []
  const attempts = handledAll({ plain: (given) => void seen.push(given.traceparent) })
  await submit("plain")
  await eventually(() => spans.named("enqueue-job").length).toBe(1)
  await new Worker(engine.kernel, { workerId: "w", attempts }).runOut()
  expect(seen).toEqual([traceparentOf(named("enqueue-job").spanContext())])
})
