// C-110: a runner stops in good order.
import { expect, test } from "vitest"
import { useBench } from "../test-support/bench.ts"
import { ManualClock } from "../test-support/manual-clock.ts"
import { deferred, refusal, sampleJob } from "../test-support/samples.ts"
import { RunnerStoppedError } from "./handler-errors.ts"

const bench = useBench()
const asks = () => bench.engine.received.filter(({ path, body }) => path === "/v1/jobs/poll" || body.poll)

test("C-110, C-T8: a stop polls no more, waits for running handlers, delivers their reports and ends", async () => {
  const [started, gate] = [deferred(), deferred()]
  const job = sampleJob()
  const runner = bench.run(async () => {
    started.resolve()
    await gate.promise
    return { done: true }
  })
  bench.engine.offer(job)
  await started.promise
  await bench.engine.until(() => asks().length === 2)
  const stopped = runner.stop({ timeoutMs: 60_000 })
  gate.resolve()
  expect(await stopped).toEqual({ drained: true, unfinished: 0 })
  expect(bench.engine.reports).toMatchObject([{ kind: "completed", jobId: job.id, variables: { done: true } }])
  expect(asks()).toHaveLength(2)
})

test("C-110: an idle runner stops at once, its waiting poll is ended", async () => {
  const runner = bench.run(() => {})
  await bench.engine.until(() => asks().length === 1)
  expect(await runner.stop({ timeoutMs: 60_000 })).toEqual({ drained: true, unfinished: 0 })
})

test("C-110: jobs that an answer on its way still brings are run and reported", async () => {
  const [answer, started] = [deferred(), deferred()]
  const [first, second] = [sampleJob(), sampleJob()]
  const ran: string[] = []
  bench.engine.once("/v1/jobs/exchange", async ({ body }) => {
    started.resolve()
    await answer.promise
    return { body: { results: [{ jobId: body.completed?.[0]?.jobId, outcome: "accepted" }], jobs: [second] } }
  })
  const runner = bench.run((job) => void ran.push(job.id), { concurrency: 1 })
  bench.engine.offer(first)
  await started.promise
  const stopped = runner.stop({ timeoutMs: 60_000 })
  answer.resolve()
  expect(await stopped).toEqual({ drained: true, unfinished: 0 })
  expect(ran).toEqual([first.id, second.id])
  expect(bench.engine.reports.map(({ jobId }) => jobId)).toEqual(ran)
})

test("C-110: after its time a stop tells handlers to stop and leaves the rest to lease expiry", async () => {
  const clock = new ManualClock()
  const [started, aborted] = [deferred(), deferred<unknown>()]
  const runner = bench.run(
    async (_, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason))
      started.resolve()
      await new Promise(() => {})
    },
    { clock },
  )
  bench.engine.offer(sampleJob())
  await started.promise
  const stopped = runner.stop({ timeoutMs: 2_000 })
  clock.advance(2_000)
  expect(await stopped).toEqual({ drained: false, unfinished: 1 })
  expect(await aborted.promise).toBeInstanceOf(RunnerStoppedError)
  expect(bench.engine.reports).toEqual([])
})

test("C-110: a report that cannot be delivered does not hold a stop beyond its time", async () => {
  const clock = new ManualClock()
  bench.engine.on("/v1/jobs/exchange", () => refusal(503, "unavailable", { "retry-after": "10" }))
  const runner = bench.run(() => {}, { clock })
  bench.engine.offer(sampleJob())
  await bench.engine.until(() => bench.engine.reports.length === 1)
  await clock.timerWithin(10_000)
  const stopped = runner.stop({ timeoutMs: 1_000 })
  clock.advance(1_000)
  expect(await stopped).toEqual({ drained: false, unfinished: 0 })
})

test("C-110: run() resolves when its signal aborts and everything is drained", async () => {
  const abort = new AbortController()
  const runner = bench.make({ handlers: { a: () => {} }, signal: abort.signal })
  const ran = runner.run()
  await bench.engine.until(() => asks().length === 1)
  abort.abort()
  expect(await ran).toEqual({ drained: true, unfinished: 0 })
})

test("C-110: a process signal stops the runner, and its listener goes with it", async () => {
  const before = process.listenerCount("SIGUSR2")
  const runner = bench.make({ handlers: { a: () => {} }, stopOn: ["SIGUSR2"] })
  const ran = runner.run()
  await bench.engine.until(() => asks().length === 1)
  expect(process.listenerCount("SIGUSR2")).toBe(before + 1)
  process.emit("SIGUSR2")
  expect(await ran).toEqual({ drained: true, unfinished: 0 })
  expect(process.listenerCount("SIGUSR2")).toBe(before)
})

test("stopping twice is stopping once", async () => {
  const runner = bench.run(() => {})
  const first = runner.stop()
  expect(runner.stop()).toBe(first)
  await first
})
