// F26: leases are kept alive while handlers run, and handlers are told to stop before a lease may end.
import { expect, test } from "vitest"
import { useBench } from "../test-support/bench.ts"
import { ManualClock } from "../test-support/manual-clock.ts"
import { deferred, refusal, sampleJob } from "../test-support/samples.ts"
import { LeaseLostError } from "./handler-errors.ts"

const bench = useBench()

interface Running {
  readonly clock: ManualClock
  readonly signal: AbortSignal
  readonly aborted: Promise<unknown>
  readonly finish: (outcome: object | Error) => void
  readonly metrics: () => string
  /** Resolves when the n-th heartbeat arrived. */
  readonly heartbeats: (n: number) => Promise<void>
}

const job = sampleJob({ id: "held" })
const path = "/v1/jobs/held/heartbeat"
const sent = () => bench.engine.requests(path).length

/** Starts one job that runs until told, under a lease of 30 s and a clock that stands still. */
async function hold(): Promise<Running> {
  const clock = new ManualClock()
  const outcome = deferred<object | Error>()
  const started = deferred<AbortSignal>()
  const aborted = deferred<unknown>()
  const runner = bench.run(
    async (_, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason))
      started.resolve(signal)
      const result = await outcome.promise
      if (result instanceof Error) throw result
      return { ...result }
    },
    { clock },
  )
  bench.engine.offer(job)
  const signal = await started.promise
  const heartbeats = (n: number) => bench.engine.until(() => sent() >= n)
  return {
    clock,
    signal,
    aborted: aborted.promise,
    finish: outcome.resolve,
    metrics: () => runner.metricsText(),
    heartbeats,
  }
}

test("a heartbeat goes out every third of the lease, with the token", async () => {
  const { clock, heartbeats, signal } = await hold()
  for (let n = 1; n <= 5; n++) {
    await clock.timerWithin(10_000)
    expect(sent()).toBe(n - 1)
    clock.advance(9_999)
    expect(sent()).toBe(n - 1)
    clock.advance(1)
    await heartbeats(n)
    await pending(clock, 10_000)
  }
  expect(bench.engine.requests(path)[0]?.body).toEqual({
    workerId: "worker-1",
    leaseToken: job.leaseToken,
    leaseSeconds: 30,
  })
  expect(signal.aborted).toBe(false)
})

test("heartbeats end with the handler", async () => {
  const { clock, finish } = await hold()
  finish({})
  await bench.engine.until(() => bench.engine.reports.length === 1)
  expect(clock.pending).toEqual([])
  expect(sent()).toBe(0)
})

test("F26: a lease the engine calls lost aborts the handler; what it then throws is not reported", async () => {
  bench.engine.on(path, () => refusal(409, "lease-lost"))
  const { clock, aborted, finish, metrics } = await hold()
  clock.advance(10_000)
  expect(await aborted).toBeInstanceOf(LeaseLostError)
  expect(metrics()).toContain("workflow_sdk_lock_conflicts_total 1")
  finish(new Error("stopped half way"))
  bench.engine.offer(sampleJob({ id: "other", jobType: "unknown" }))
  await bench.engine.until(() => bench.engine.reports.length === 1)
  expect(bench.engine.reports[0]?.jobId).toBe("other")
})

test("a result after a lost lease is reported once, the engine decides by the token", async () => {
  bench.engine.on(path, () => refusal(409, "lease-lost"))
  bench.engine.on("/v1/jobs/exchange", () => refusal(503, "unavailable"))
  const { clock, aborted, finish } = await hold()
  clock.advance(10_000)
  await aborted
  finish({ done: true })
  await bench.engine.until(() => bench.engine.reports.length === 1)
  await clock.timerWithin(200)
  clock.advance(200)
  await bench.logger.heard("the result of a job did not count")
  expect(bench.engine.reports).toMatchObject([{ jobId: "held", leaseToken: job.leaseToken, variables: { done: true } }])
})

test("F26: a dead link: heartbeats are tried again, and the handler is told to stop before the lease may end", async () => {
  bench.engine.on(path, (received) => {
    received.cut()
    return "hang"
  })
  const { clock, aborted, signal, heartbeats } = await hold()
  clock.advance(10_000)
  for (let n = 1; n <= 3; n++) {
    await heartbeats(n)
    await clock.timerWithin(1_000)
    clock.advance(1_000)
  }
  clock.advance(13_999)
  expect(signal.aborted).toBe(false)
  clock.advance(1)
  expect(await aborted).toMatchObject({ name: "LeaseLostError", message: "the lease could not be extended in time" })
})

test("F26: an answer that hangs does not keep the handler running beyond its lease", async () => {
  bench.engine.on(path, () => "hang")
  const { clock, aborted, signal, heartbeats } = await hold()
  clock.advance(10_000)
  await heartbeats(1)
  clock.advance(16_999)
  expect(signal.aborted).toBe(false)
  clock.advance(1)
  expect(await aborted).toBeInstanceOf(LeaseLostError)
})

test("F26: a heartbeat counts from the moment it was sent", async () => {
  const { clock, aborted, signal, heartbeats } = await hold()
  const answer = deferred()
  bench.engine.once(path, async () => {
    await answer.promise
    return undefined
  })
  clock.advance(10_000)
  await heartbeats(1)
  clock.advance(15_000)
  answer.resolve()
  // Sent at 10 s and answered at 25 s: the lease surely holds until 40 s, the next heartbeat goes out at 30 s.
  await pending(clock, 5_000)
  bench.engine.on(path, () => "hang")
  clock.advance(5_000)
  await heartbeats(2)
  clock.advance(6_999)
  expect(signal.aborted).toBe(false)
  clock.advance(1)
  expect(await aborted).toBeInstanceOf(LeaseLostError)
})

test("F26: a job whose answer was long on its way is started only after the engine confirmed its lease", async () => {
  const clock = new ManualClock()
  const late = [sampleJob({ id: "late-lost" }), sampleJob({ id: "late-held" })]
  const [asked, answer] = [deferred(), deferred()]
  bench.engine.on("/v1/jobs/late-lost/heartbeat", () => refusal(409, "lease-lost"))
  bench.engine.once("/v1/jobs/poll", async () => {
    asked.resolve()
    await answer.promise
    return { body: { jobs: late } }
  })
  const ran: string[] = []
  bench.run(({ id }) => void ran.push(id), { clock })
  await asked.promise
  clock.advance(28_000)
  answer.resolve()
  await bench.engine.until(() => bench.engine.reports.length === 1)
  expect(ran).toEqual(["late-held"])
})

/** The heartbeat was answered: the next one is `ms` away. */
async function pending(clock: ManualClock, ms: number): Promise<void> {
  while (!clock.pending.includes(ms)) await new Promise(setImmediate)
}
