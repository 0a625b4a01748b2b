// C-106 to C-110: what a runner asks, runs and reports.
import { describe, expect, test } from "vitest"
import { useBench } from "../test-support/bench.ts"
import { ManualClock } from "../test-support/manual-clock.ts"
import { deferred, refusal, sampleJob, Tally } from "../test-support/samples.ts"
import { NonRetryableError, RetryLaterError } from "./handler-errors.ts"

const bench = useBench()

const reported = async (jobId: string) => {
  await bench.engine.until(() => bench.engine.reports.some((report) => report.jobId === jobId))
  return bench.engine.reports.find((report) => report.jobId === jobId)!
}
const polls = () => bench.engine.requests("/v1/jobs/poll")

describe("a key that may not work on every type", () => {
  const refusing = (...types: string[]) =>
    bench.engine.on("/v1/jobs/poll", ({ body }) => {
      const { jobTypes } = body as { jobTypes: string[] }
      const details = jobTypes.flatMap((name, index) =>
        types.includes(name) ? [{ path: `$.jobTypes[${index}]`, message: "is not among the scopes" }] : [],
      )
      if (details.length === 0) return undefined
      return { status: 403, body: { error: "forbidden", message: "not for this key", requestId: "r", details } }
    })

  test("works on the others, and says once which it leaves out", async () => {
    refusing("refund", "pay")
    const job = sampleJob()
    const handlers = { refund: () => {}, "charge-card": () => ({ done: true }), pay: () => {} }
    bench.make({ handlers }).start()
    bench.engine.offer(job)
    expect(await reported(job.id)).toMatchObject({ kind: "completed", variables: { done: true } })
    const told = bench.logger.lines.filter(({ message }) => message.includes("may not work on"))
    expect(told).toMatchObject([{ level: "warn", fields: { jobTypes: ["refund", "pay"] } }])
  })

  test("where none is left it goes on asking for them all", async () => {
    refusing("charge-card")
    bench.run(() => {})
    await bench.engine.until(() => polls().length >= 2)
    expect(polls().map(({ body }) => (body as { jobTypes: string[] }).jobTypes)).toContainEqual(["charge-card"])
    expect(bench.logger.lines[0]).toMatchObject({ message: "poll failed, backing off" })
  })
})

describe("outcomes", () => {
  test("C-109, C-T8: a returned object completes the job with these variables and its token", async () => {
    const job = sampleJob()
    bench.run(async ({ variables }) => ({ doubled: (variables.amount as number) * 2 }))
    bench.engine.offer(job)
    const { id: jobId, leaseToken } = job
    expect(await reported(job.id)).toEqual({ kind: "completed", jobId, leaseToken, variables: { doubled: 84 } })
  })

  test("C-109: returning nothing completes the job without variables", async () => {
    const job = sampleJob()
    bench.run(() => {})
    bench.engine.offer(job)
    expect(await reported(job.id)).toEqual({ kind: "completed", jobId: job.id, leaseToken: job.leaseToken })
  })

  test.each([
    ["a plain error", () => new Error("bank is down"), { retryable: true, errorMessage: "bank is down" }],
    ["an error without message", () => new TypeError(), { retryable: true, errorMessage: "TypeError" }],
    ["a string", () => "out of paper", { retryable: true, errorMessage: "out of paper" }],
    ["undefined", () => undefined, { retryable: true, errorMessage: "the handler threw a value of type undefined" }],
    ["NonRetryableError", () => new NonRetryableError("stolen"), { retryable: false, errorMessage: "stolen" }],
    [
      "RetryLaterError",
      () => new RetryLaterError("busy", { afterSeconds: 90 }),
      { retryable: true, errorMessage: "busy", retryAfter: 90 },
    ],
    ["text that cannot be stored", () => new Error("a\u0000b\ud800c"), { errorMessage: "a\ufffdb\ufffdc" }],
  ])("C-109, C-T8: throwing %s fails the job", async (_, thrown, expected) => {
    const job = sampleJob()
    bench.run(() => Promise.reject(thrown()))
    bench.engine.offer(job)
    expect(await reported(job.id)).toMatchObject({ kind: "failed", leaseToken: job.leaseToken, ...expected })
  })

  test("C-109: an error thrown before the first await counts like any other", async () => {
    const job = sampleJob()
    bench.run(() => {
      throw new Error("at once")
    })
    bench.engine.offer(job)
    expect(await reported(job.id)).toMatchObject({ kind: "failed", retryable: true, errorMessage: "at once" })
  })

  test("C-109, C-T8: a job without a handler fails, not retryable, naming its type", async () => {
    const job = sampleJob({ jobType: "send-fax" })
    bench.run(() => {})
    bench.engine.offer(job)
    const errorMessage = "no handler registered for send-fax"
    expect(await reported(job.id)).toMatchObject({ kind: "failed", retryable: false, errorMessage })
  })

  test.each([
    ["a number", 7, "a value of type number"],
    ["an array", [1], "an array"],
    ["a bigint inside", { big: 1n }, "not JSON"],
    ["a date", new Date(0), "no object of variables"],
    ["a promise inside", { ok: {}, receipt: Promise.resolve("r") }, "a promise as receipt: await it"],
    ["NaN inside", { none: null, rows: [{ mean: Number.NaN }] }, 'not JSON: "mean" is NaN'],
    ["an infinity inside", { ratio: Number.NEGATIVE_INFINITY }, "-Infinity: JSON has no such number"],
  ])("C-109: returning %s fails the job for good", async (_, value, message) => {
    const job = sampleJob()
    bench.run(() => value as never)
    bench.engine.offer(job)
    const report = await reported(job.id)
    expect(report).toMatchObject({ kind: "failed", retryable: false })
    expect(report.errorMessage).toContain(message)
  })

  test("C-106: the handler gets the whole job, a signal and the worker's name", async () => {
    const job = sampleJob({ attempt: 3, retriesRemaining: 1, businessKey: "order-1" })
    const seen = deferred<unknown>()
    bench.run((given, { signal, workerId }) => seen.resolve({ given, aborted: signal.aborted, workerId }))
    bench.engine.offer(job)
    expect(await seen.promise).toEqual({ given: job, aborted: false, workerId: "worker-1" })
  })
})

describe("asking", () => {
  test("C-107, C-108: long-polls for as many jobs as it can run, for all its types", async () => {
    bench.make({ handlers: { a: () => {}, b: () => {} } }).start()
    await bench.engine.until(() => polls().length === 1)
    expect(polls()[0]?.body).toEqual({
      workerId: "worker-1",
      jobTypes: ["a", "b"],
      maxJobs: 64,
      leaseSeconds: 30,
      waitSeconds: 20,
    })
  })

  test("C-107, C-T8: never runs more than its concurrency, and asks only for free places", async () => {
    const started = new Tally<{ finish: () => void }>()
    let running = 0
    let most = 0
    const handler = async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((finish) => started.add({ finish }))
      running -= 1
    }
    bench.run(handler, { concurrency: 3 })
    const jobs = Array.from({ length: 8 }, () => sampleJob())
    bench.engine.offer(...jobs)
    for (let n = 0; n < jobs.length; n++) {
      await started.reach(Math.min(n + 3, jobs.length))
      started.items[n]?.finish()
      await bench.engine.until(() => bench.engine.reports.length === n + 1)
    }
    expect(most).toBe(3)
    const asked = bench.engine.received.map(({ body }) => body.maxJobs ?? body.poll?.maxJobs ?? 0)
    expect(Math.max(...asked)).toBe(3)
  })

  test("C-107: with every place taken it does not ask; the report of a job asks for the next", async () => {
    const started = new Tally<{ finish: () => void }>()
    const handler = () => new Promise<void>((finish) => started.add({ finish }))
    bench.run(handler, { concurrency: 1 })
    bench.engine.offer(sampleJob(), sampleJob())
    await started.reach(1)
    started.items[0]?.finish()
    await started.reach(2)
    expect(bench.engine.received.map(({ path }) => path)).toEqual(["/v1/jobs/poll", "/v1/jobs/exchange"])
    expect(bench.engine.received[1]?.body.poll).toMatchObject({ maxJobs: 1 })
  })

  test("C-108: in short-poll mode it asks without waiting, again after the interval", async () => {
    const clock = new ManualClock()
    bench.run(() => {}, { polling: { pollIntervalMs: 500 }, clock })
    for (const n of [1, 2, 3]) {
      await bench.engine.until(() => polls().length === n)
      await clock.timerWithin(500)
      expect(clock.pending).toEqual([500])
      clock.advance(500)
    }
    expect(polls()[0]?.body).not.toHaveProperty("waitSeconds")
  })

  test("C-108: a poll that fails is logged and tried again after a growing pause", async () => {
    const clock = new ManualClock()
    const job = sampleJob()
    for (const status of [500, 503, 401]) bench.engine.once("/v1/jobs/poll", () => refusal(status, "trouble"))
    bench.engine.offer(job)
    bench.run(() => {}, { clock })
    for (const [n, plain] of [100, 200, 400].entries()) {
      await clock.timerWithin(plain * 1.2)
      expect(clock.pending[0]).toBeGreaterThanOrEqual(plain * 0.8)
      expect(polls()).toHaveLength(n + 1)
      clock.advance(plain * 1.2)
    }
    await reported(job.id)
    const lines = bench.logger.lines.filter(({ message }) => message === "poll failed, backing off")
    expect(lines.map(({ fields }) => fields.status)).toEqual([401, 503, 500])
  })

  test("C-108: a dropped connection is a failed poll like any other", async () => {
    const job = sampleJob()
    bench.engine.once("/v1/jobs/poll", (received) => {
      received.cut()
      return "hang"
    })
    bench.engine.offer(job)
    bench.run(() => {})
    expect(await reported(job.id)).toMatchObject({ kind: "completed" })
  })

  test("C-108: Retry-After is kept to", async () => {
    const clock = new ManualClock()
    bench.engine.once("/v1/jobs/poll", () => refusal(503, "unavailable", { "retry-after": "5" }))
    bench.run(() => {}, { clock })
    await clock.timerWithin(5_000)
    expect(clock.pending).toEqual([5_000])
  })

  test("C-108: an engine that answers long polls at once is not hammered", async () => {
    const clock = new ManualClock()
    bench.engine.on("/v1/jobs/poll", () => ({ body: { jobs: [] } }))
    bench.run(() => {}, { clock })
    for (let n = 1; n <= 6; n++) {
      await clock.timerWithin(500)
      expect(polls()).toHaveLength(n)
      clock.advance(500)
    }
  })

  test("C-108: a wait leaves a good part of the lease", async () => {
    bench.run(() => {}, { leaseSeconds: 9 })
    await bench.engine.until(() => polls().length === 1)
    expect(polls()[0]?.body).toMatchObject({ leaseSeconds: 9, waitSeconds: 6 })
  })
})

describe("settings", () => {
  const handlers = { "charge-card": () => {} }

  test.each(["", " ", undefined])("C-107: the worker id %j is refused", (workerId) => {
    expect(() => bench.make({ handlers, workerId: workerId as string })).toThrow("needs a workerId")
  })

  test.each([
    { concurrency: 0 },
    { concurrency: Number.NaN },
    { leaseSeconds: 4 },
    { leaseSeconds: 3601 },
    { polling: { pollIntervalMs: 0 } },
    { polling: { waitSeconds: 31 } },
  ])("%j is refused", (options) => {
    expect(() => bench.make({ handlers, ...options })).toThrow(RangeError)
  })

  test("C-105: a source of handlers may be an object literal", async () => {
    const job = sampleJob()
    bench.make({ handlers: { jobTypes: () => ["charge-card"], find: () => () => ({ found: true }) } }).start()
    bench.engine.offer(job)
    expect(await reported(job.id)).toMatchObject({ kind: "completed", variables: { found: true } })
    expect(polls()[0]?.body.jobTypes).toEqual(["charge-card"])
  })

  test("a runner without handlers, or started twice, is refused", () => {
    expect(() => bench.make({ handlers: {} }).start()).toThrow("no handlers")
    const runner = bench.make({ handlers }).start()
    expect(() => runner.start()).toThrow("started before")
  })
})
