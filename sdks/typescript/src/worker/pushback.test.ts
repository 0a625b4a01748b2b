// What a handler's error says about the system it called, and the time that one attempt may take.
import { describe, expect, test } from "vitest"
import { MillraceError } from "../calls/errors.ts"
import { useBench } from "../test-support/bench.ts"
import { ManualClock } from "../test-support/manual-clock.ts"
import { deferred, sampleJob } from "../test-support/samples.ts"
import { LeaseLostError } from "./handler-errors.ts"
import { pushbackOf } from "./pushback.ts"

const failure = (fields: object) => Object.assign(new Error("it did not work"), fields)

describe("push-back", () => {
  test.each([
    [{ status: 429 }, { downstreamStatus: 429 }],
    [
      { statusCode: 503, headers: { "retry-after": "7" } },
      { downstreamStatus: 503, retryAfter: 7 },
    ],
    [
      { response: { status: 429, headers: new Headers({ "Retry-After": "0.5" }) } },
      { downstreamStatus: 429, retryAfter: 0.5 },
    ],
    [{ retryAfter: 2 }, { downstreamStatus: 503, retryAfter: 2 }],
    [{ name: "TimeoutError" }, { downstreamStatus: 504 }],
    [{ cause: failure({ code: "UND_ERR_HEADERS_TIMEOUT" }) }, { downstreamStatus: 504 }],
    [{ retryAfter: 1e9 }, { downstreamStatus: 503, retryAfter: 86_400 }],
    [{}, undefined],
    [{ status: 500, code: "ECONNREFUSED" }, undefined],
    [{ retryAfter: "soon" }, undefined],
  ])("%j is told as %j", (fields, expected) => {
    expect(pushbackOf(failure(fields))).toEqual(expected)
  })

  test("a date is a wait; a refusal of the engine itself is no push-back", () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    expect(pushbackOf({ headers: { "retry-after": inAnHour } })?.retryAfter).toBeGreaterThan(3_500)
    expect(pushbackOf(new MillraceError({ code: "backpressure", status: 503, message: "full" }))).toBeUndefined()
  })
})

describe("in a runner", () => {
  const bench = useBench()
  const reported = async (jobId: string) => {
    await bench.engine.until(() => bench.engine.reports.some((report) => report.jobId === jobId))
    return bench.engine.reports.find((report) => report.jobId === jobId)!
  }

  test("a push-back is reported with its status and its wait", async () => {
    const job = sampleJob()
    bench.run(() => Promise.reject(failure({ status: 429, headers: { "retry-after": "30" } })))
    bench.engine.offer(job)
    const told = { kind: "failed", retryable: true, downstreamStatus: 429, retryAfter: 30 }
    expect(await reported(job.id)).toMatchObject(told)
  })

  test("D-17, D-19, D-T10: a handler that takes too long is told to stop, and fails with a message of its own", async () => {
    const clock = new ManualClock()
    const job = sampleJob({ timeoutSeconds: 30 })
    const told = deferred<unknown>()
    bench.run(
      (_, { signal }) => {
        signal.addEventListener("abort", () => told.resolve(signal.reason))
        return new Promise<never>(() => {})
      },
      { clock, leaseSeconds: 300 },
    )
    bench.engine.offer(job)
    await clock.timerWithin(30_000)
    clock.advance(30_000)
    expect(await reported(job.id)).toMatchObject({
      kind: "failed",
      retryable: true,
      errorMessage: "timed out after 30 s",
      downstreamStatus: 504,
    })
    expect(await told.promise).toMatchObject({ name: "TimeoutError" })
  })

  test("D-17: one that is done in time has no limit behind it", async () => {
    const clock = new ManualClock()
    const job = sampleJob({ timeoutSeconds: 7 })
    bench.run(() => ({ done: true }), { clock, leaseSeconds: 300 })
    bench.engine.offer(job)
    expect(await reported(job.id)).toMatchObject({ kind: "completed" })
    expect(clock.pending).not.toContain(7_000)
  })

  test("a handler under a limit still hears of a lost lease", async () => {
    const clock = new ManualClock()
    const job = sampleJob({ timeoutSeconds: 3_600 })
    const told = deferred<unknown>()
    bench.engine.on("/v1/jobs/*/heartbeat", () => ({ status: 409, body: { error: "lease-lost", message: "lost" } }))
    bench.engine.on(`/v1/jobs/${job.id}/heartbeat`, () => ({
      status: 409,
      body: { error: "lease-lost", message: "lost" },
    }))
    bench.run(
      (_, { signal }) => {
        signal.addEventListener("abort", () => told.resolve(signal.reason))
        return new Promise<never>(() => {})
      },
      { clock, leaseSeconds: 30 },
    )
    bench.engine.offer(job)
    await clock.timerWithin(10_000)
    clock.advance(10_000)
    expect(await told.promise).toBeInstanceOf(LeaseLostError)
  })
})
