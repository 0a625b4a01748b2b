// Traces: what a client sends along, what a handler is told, and what may be put around it. No tracer is needed for either.
import { AsyncLocalStorage } from "node:async_hooks"
import { describe, expect, test } from "vitest"
import { EngineClient } from "../client/engine-client.ts"
import type { EngineClientOptions } from "../client/engine-client-options.ts"
import type { Job } from "../client/job-types.ts"
import { submit } from "../client/submit.ts"
import { useBench } from "../test-support/bench.ts"
import { sampleJob } from "../test-support/samples.ts"

const bench = useBench()
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
const tracestate = "rojo=1"

async function asking<T>(options: Partial<EngineClientOptions>, ask: (client: EngineClient) => Promise<T>): Promise<T> {
  const client = new EngineClient({ url: bench.engine.url, workerId: "worker-1", ...options })
  try {
    return await ask(client)
  } finally {
    client.close()
  }
}

const sent = () => bench.engine.received.map(({ path, headers }) => [path, headers.traceparent, headers.tracestate])

describe("what a client sends along", () => {
  test("the context of the code that calls, at every call but a worker's own", async () => {
    bench.engine.on("/jobs", () => ({ status: 202, body: {} }))
    bench.engine.on("/v1/instances", () => ({ status: 201, body: {} }))
    bench.engine.on("/v1/intake/*", () => ({ status: 202, body: {} }))
    await asking({ traceContext: () => ({ traceparent, tracestate }) }, async (client) => {
      await client.enqueue("mail", {})
      await client.startInstance({ definitionId: "order" })
      await client.intake("order", {}, { key: "k" })
      bench.engine.offer(sampleJob())
      await client.poll({ jobTypes: ["charge-card"] })
      await client.heartbeat("j1", { leaseToken: "t" })
      await client.complete("j1", { leaseToken: "t" })
      await client.exchange({})
    })
    expect(sent()).toEqual([
      ["/jobs", traceparent, tracestate],
      ["/v1/instances", traceparent, tracestate],
      ["/v1/intake/order", traceparent, tracestate],
      ["/v1/jobs/poll", undefined, undefined],
      ["/v1/jobs/j1/heartbeat", undefined, undefined],
      ["/v1/jobs/j1/complete", undefined, undefined],
      ["/v1/jobs/exchange", undefined, undefined],
    ])
  })

  test.each([
    ["no hook", undefined],
    ["nothing active", () => undefined],
    ["an empty one", () => ({})],
    ["a state alone", () => ({ tracestate })],
  ])("nothing, where there is %s", async (_what, traceContext) => {
    bench.engine.on("/jobs", () => ({ status: 202, body: {} }))
    await asking({ traceContext }, (client) => client.enqueue("mail", {}))
    expect(sent()).toEqual([["/jobs", undefined, undefined]])
  })

  test("a repeat is in the same trace, and so is a submission", async () => {
    bench.engine.on("/v1/intake/*", () => ({ status: 202, body: { idempotencyKey: "k" } }))
    bench.engine.once("/v1/intake/*", () => ({ status: 503, body: {} }))
    const active = new AsyncLocalStorage<string>()
    const traceContext = () => ({ traceparent: active.getStore() })
    const submission = { urls: [bench.engine.url], definitionId: "order", payload: {}, key: "k", traceContext }
    await active.run(traceparent, () => submit(submission))
    expect(sent()).toEqual([
      ["/v1/intake/order", traceparent, undefined],
      ["/v1/intake/order", traceparent, undefined],
    ])
  })
})

describe("what a runner does with a job's context", () => {
  const reported = () => bench.engine.until(() => bench.engine.reports.length > 0)

  test("the handler is told it", async () => {
    const seen: Job[] = []
    bench.run((job) => void seen.push(job))
    bench.engine.offer(sampleJob({ traceparent, tracestate }))
    await reported()
    expect(seen).toMatchObject([{ traceparent, tracestate }])
  })

  test("aroundJob runs the handler, and what the handler asks for is in the job's trace", async () => {
    bench.engine.on("/jobs", () => ({ status: 202, body: {} }))
    const active = new AsyncLocalStorage<string | undefined>()
    const client = new EngineClient({
      url: bench.engine.url,
      traceContext: () => ({ traceparent: active.getStore() }),
    })
    bench.run(
      async () => {
        await client.enqueue("mail", {})
        return { done: true }
      },
      { aroundJob: (job, run) => active.run(job.traceparent, run) },
    )
    bench.engine.offer(sampleJob({ traceparent }))
    await reported()
    client.close()
    expect(bench.engine.requests("/jobs").map(({ headers }) => headers.traceparent)).toEqual([traceparent])
    expect(bench.engine.reports).toMatchObject([{ kind: "completed", variables: { done: true } }])
  })

  test("what the handler throws passes through aroundJob, and what that throws fails the job", async () => {
    const thrown: unknown[] = []
    const aroundJob = async (job: Job, run: () => Promise<unknown>) => {
      if (job.attempt > 1) throw new Error("of the tracer")
      return run().catch((error) => {
        thrown.push(error)
        throw error
      })
    }
    bench.run(
      () => {
        throw new Error("of the handler")
      },
      { aroundJob },
    )
    bench.engine.offer(sampleJob({ id: "j1" }), sampleJob({ id: "j2", attempt: 2 }))
    await bench.engine.until(() => bench.engine.reports.length === 2)
    expect(thrown).toEqual([new Error("of the handler")])
    expect(bench.engine.reports.map(({ errorMessage }) => errorMessage).sort()).toEqual([
      "of the handler",
      "of the tracer",
    ])
  })
})
