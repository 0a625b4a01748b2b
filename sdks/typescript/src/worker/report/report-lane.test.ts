// How reports travel: fused under load, repeated until taken, split when one of them is bad (C-107, C-109).
import { expect, test } from "vitest"
import { useBench } from "../../test-support/bench.ts"
import { ManualClock } from "../../test-support/manual-clock.ts"
import { deferred, refusal, sampleJob, Tally } from "../../test-support/samples.ts"

const bench = useBench()
const exchanges = () => bench.engine.requests("/v1/jobs/exchange")
const reportedIds = () => bench.engine.reports.map(({ jobId }) => jobId)
const cards = (n: number) => Array.from({ length: n }, () => sampleJob())

test("C-107: jobs that finish together are reported together, in one round trip that asks for more", async () => {
  const jobs = cards(30)
  bench.engine.offer(...jobs)
  bench.run(() => {})
  await bench.engine.until(() => reportedIds().length === 30)
  expect(exchanges()).toHaveLength(1)
  expect(exchanges()[0]?.body.completed).toHaveLength(30)
  expect(exchanges()[0]?.body.poll).toMatchObject({ jobTypes: ["charge-card"], leaseSeconds: 30 })
})

test("C-104: in the mode `poll` every job is reported by itself, and polls alone bring jobs", async () => {
  const jobs = [...cards(3), sampleJob({ variables: { fail: true } })]
  bench.engine.offer(...jobs)
  const fail = () => {
    throw new Error("no")
  }
  bench.run((job) => (job.variables.fail ? fail() : { done: true }), { mode: "poll", concurrency: 2 })
  await bench.engine.until(() => reportedIds().length === 4)
  expect(exchanges()).toEqual([])
  expect(new Set(reportedIds())).toEqual(new Set(jobs.map(({ id }) => id)))
  expect(bench.engine.requests("/v1/jobs/poll").length).toBeGreaterThan(1)
})

test("C-107: what finishes while a request is in flight goes with the next one", async () => {
  const started = new Tally<{ finish: () => void }>()
  const answer = deferred()
  bench.engine.once("/v1/jobs/exchange", async () => {
    await answer.promise
    return undefined
  })
  bench.run(() => new Promise<void>((finish) => started.add({ finish })))
  bench.engine.offer(...cards(5))
  await started.reach(5)
  started.items[0]?.finish()
  await bench.engine.until(() => exchanges().length === 1)
  for (const { finish } of started.items) finish()
  answer.resolve()
  await bench.engine.until(() => reportedIds().length === 5)
  expect(exchanges().map(({ body }) => body.completed?.length)).toEqual([1, 4])
})

test("C-107: under load the answers to reports bring the next jobs, without further polls", async () => {
  const jobs = cards(40)
  bench.engine.offer(...jobs)
  bench.run(() => {}, { concurrency: 4 })
  await bench.engine.until(() => reportedIds().length === 40)
  expect(exchanges()).toHaveLength(10)
  expect(bench.engine.requests("/v1/jobs/poll")).toHaveLength(1)
})

test.each(["exchange", "poll"] as const)(
  "C-109: in mode %s a result that turns out to be unsendable fails its job for good and holds up no other",
  async (mode) => {
    const [bad, good] = cards(2)
    bench.engine.offer(bad!, good!)
    bench.run(({ id }) => (id === bad!.id ? onceJson() : { done: true }), { mode })
    await bench.engine.until(() => reportedIds().length === 2)
    const reportOf = (id: string) => bench.engine.reports.find(({ jobId }) => jobId === id)
    expect(reportOf(good!.id)).toMatchObject({ kind: "completed", variables: { done: true } })
    const errorMessage = "the handler returned variables that cannot be sent: gone"
    expect(reportOf(bad!.id)).toMatchObject({ kind: "failed", retryable: false, errorMessage })
  },
)

/** Passes where the result is judged, and breaks when it is sent. */
function onceJson(): Record<string, unknown> {
  let asked = 0
  const value = () => {
    if (++asked > 1) throw new RangeError("gone")
    return 1
  }
  return Object.defineProperty({}, "value", { enumerable: true, get: value })
}

test("C-109: completed and failed reports of one round trip are told apart", async () => {
  const [good, bad] = [sampleJob(), sampleJob({ variables: { fail: true } })]
  const settled = new Tally<unknown>()
  bench.engine.once("/v1/jobs/exchange", () => ({
    body: {
      results: [
        { jobId: good.id, outcome: "stale" },
        { jobId: bad.id, outcome: "accepted" },
      ],
      jobs: [],
    },
  }))
  const runner = bench.run(({ variables }) => (variables.fail ? Promise.reject(new Error("no")) : {}))
  bench.engine.offer(bad, good)
  await bench.engine.until(() => reportedIds().length === 2)
  await runner.stop({ timeoutMs: 60_000 })
  settled.add(runner.metricsText())
  expect(settled.items[0]).toContain('jobs_completed_total{job_type="charge-card",outcome="failure"} 1')
  expect(settled.items[0]).toContain("workflow_sdk_lock_conflicts_total 1")
  expect(settled.items[0]).not.toContain('outcome="success"')
})

test.each([
  ["500", () => refusal(500, "internal-error")],
  ["503", () => refusal(503, "unavailable")],
  ["401", () => refusal(401, "unauthenticated")],
])("C-110: a report met by %s is sent again, unchanged, until it is taken", async (_, trouble) => {
  const clock = new ManualClock()
  const job = sampleJob()
  for (let i = 0; i < 2; i++) bench.engine.once("/v1/jobs/*", ({ path }) => (isReport(path) ? trouble() : undefined))
  const runner = bench.run(() => ({ receipt: "R" }), { clock })
  bench.engine.offer(job)
  while (!runner.metricsText().includes('outcome="success"} 1')) {
    clock.advance(50)
    await new Promise(setImmediate)
  }
  for (const report of bench.engine.reports)
    expect(report).toMatchObject({ jobId: job.id, leaseToken: job.leaseToken, variables: { receipt: "R" } })
  expect(reportedIds().length).toBeGreaterThanOrEqual(3)
})

test("C-110: while reports cannot be delivered no further work is taken on", async () => {
  const clock = new ManualClock()
  bench.engine.on("/v1/jobs/exchange", () => refusal(503, "unavailable"))
  bench.engine.offer(sampleJob())
  bench.run(() => {}, { clock, concurrency: 1 })
  for (let n = 1; n <= 3; n++) {
    await bench.engine.until(() => exchanges().length === n)
    await clock.timerWithin(1_000)
    clock.advance(1_000)
  }
  expect(bench.engine.requests("/v1/jobs/poll")).toHaveLength(1)
})

test("C-110: a report is given up when its lease is surely gone, and work goes on", async () => {
  const clock = new ManualClock()
  const [lost, next] = [sampleJob(), sampleJob()]
  bench.engine.on("/v1/jobs/exchange", ({ body }) =>
    body.completed?.some(({ jobId }) => jobId === lost.id) ? refusal(503, "unavailable") : undefined,
  )
  const ran = new Tally<string>()
  bench.run((job) => ran.add(job.id), { clock, concurrency: 1 })
  bench.engine.offer(lost)
  await bench.engine.until(() => exchanges().length === 1)
  bench.engine.offer(next)
  await clock.timerWithin(1_000)
  clock.advance(34_000)
  await bench.engine.until(() => exchanges().length === 2)
  expect(ran.items).toEqual([lost.id])
  await clock.timerWithin(1_000)
  clock.advance(1_000)
  await bench.engine.until(() => reportedIds().includes(next.id))
  const given = bench.logger.lines.find(({ message }) => message === "the result of a job did not count")
  expect(given?.fields).toMatchObject({ jobId: lost.id, verdict: "dropped" })
})

test("C-109: one bad report does not harm its neighbours, and fails its job with the engine's words", async () => {
  const [good, bad] = [sampleJob(), sampleJob({ variables: { bad: true } })]
  bench.engine.on("/v1/jobs/exchange", ({ body }) =>
    body.completed?.some(({ variables }) => variables && "bad" in variables) ? refusal(400, "bad-request") : undefined,
  )
  bench.engine.on(`/v1/jobs/${bad.id}/complete`, () => refusal(413, "payload-too-large"))
  bench.run(({ variables }) => (variables.bad ? { bad: "x" } : { good: "y" }))
  bench.engine.offer(good, bad)
  await bench.engine.until(() => bench.engine.reports.some(({ kind }) => kind === "failed"))
  expect(bench.engine.requests(`/v1/jobs/${good.id}/complete`)[0]?.body).toMatchObject({ variables: { good: "y" } })
  expect(bench.engine.reports.find(({ kind }) => kind === "failed")).toEqual({
    kind: "failed",
    jobId: bad.id,
    leaseToken: bad.leaseToken,
    retryable: false,
    errorMessage: "the engine refused the result: because of payload-too-large",
  })
})

test("C-109: a report over which the engine breaks keeps nobody else's waiting, and a drain waits for it", async () => {
  const clock = new ManualClock()
  const [bad, good] = [sampleJob({ id: "breaks" }), sampleJob({ id: "fine" })]
  let broken = true
  const breaks = () => (broken ? refusal(500, "internal-error") : undefined)
  bench.engine.on("/v1/jobs/exchange", ({ body }) =>
    body.completed?.some(({ jobId }) => jobId === bad.id) ? breaks() : undefined,
  )
  bench.engine.on(`/v1/jobs/${bad.id}/complete`, breaks)
  const runner = bench.run(() => {}, { clock })
  bench.engine.offer(bad)
  await clock.timerWithin(1_000)
  bench.engine.offer(good)
  // The clock stands still: whatever waits for the bad report would wait for ever.
  await bench.engine.until(() => reportedIds().includes(good.id))
  const stopped = runner.stop()
  broken = false
  await clock.timerWithin(1_000)
  clock.advance(1_000)
  expect(await stopped).toEqual({ drained: true, unfinished: 0 })
  expect(runner.metricsText()).toContain('outcome="success"} 2')
})

test.each(["exchange", "poll"] as const)(
  "C-109: in mode %s a result over which the connection breaks holds up no other, and is sent again",
  async (mode) => {
    const clock = new ManualClock()
    const large = sampleJob({ id: "large" })
    let breaks = true
    bench.engine.on("/v1/jobs/*", (received) => {
      if (!breaks || !isReport(received.path) || !`${received.path}${received.text}`.includes("large")) return undefined
      received.cut()
      return "hang"
    })
    const runner = bench.run(() => {}, { clock, mode })
    bench.engine.offer(large)
    await clock.timerWithin(1_000)
    const small = cards(3)
    bench.engine.offer(...small)
    // The clock stands still: whatever waits for the large report would wait for ever.
    await bench.engine.until(() => small.every(({ id }) => reportedIds().includes(id)))
    breaks = false
    const stopped = runner.stop()
    await clock.timerWithin(1_000)
    clock.advance(1_000)
    expect(await stopped).toEqual({ drained: true, unfinished: 0 })
    expect(runner.metricsText()).toContain('outcome="success"} 4')
  },
)

test("C-109: of reports that were cut off together each is sent alone", async () => {
  const jobs = cards(3)
  bench.engine.offer(...jobs)
  bench.engine.on("/v1/jobs/exchange", (received) => {
    received.cut()
    return "hang"
  })
  bench.run(() => {})
  for (const { id } of jobs) await bench.engine.until(() => bench.engine.requests(`/v1/jobs/${id}/complete`).length > 0)
})

test("C-109: a result that no engine takes is not sent, and fails its job for good", async () => {
  bench.engine.offer(sampleJob())
  bench.run(() => ({ document: "x".repeat(16_777_216) }))
  await bench.engine.until(() => bench.engine.reports.length === 1)
  expect(bench.engine.reports[0]).toMatchObject({
    kind: "failed",
    retryable: false,
    errorMessage: "the handler returned 16777231 bytes of variables: return a reference to what is large",
  })
})

test("C-107: reports are packed below the engine's 1 MiB", async () => {
  const jobs = cards(12)
  bench.engine.offer(...jobs)
  bench.run(() => ({ document: "é".repeat(100_000) }))
  await bench.engine.until(() => reportedIds().length === 12)
  const sizes = exchanges().map(({ text }) => Buffer.byteLength(text))
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024)
  expect(exchanges().map(({ body }) => body.completed?.length)).toEqual([3, 3, 3, 3])
})

test("C-104: an engine without exchange gets its reports one by one", async () => {
  bench.engine.on("/v1/jobs/exchange", () => refusal(404, "not-found"))
  const [first, second] = [sampleJob(), sampleJob()]
  bench.run(() => ({ done: true }), { concurrency: 1 })
  bench.engine.offer(first, second)
  await bench.engine.until(() => bench.engine.requests(`/v1/jobs/${second.id}/complete`).length === 1)
  expect(exchanges()).toHaveLength(1)
  expect(bench.engine.requests(`/v1/jobs/${first.id}/complete`)).toHaveLength(1)
})

test("C-104: an engine that refuses polls still gets its reports", async () => {
  bench.engine.on("/v1/jobs/exchange", ({ body }) => (body.poll ? refusal(410, "polling-disabled") : undefined))
  const job = sampleJob()
  bench.run(() => {})
  bench.engine.offer(job)
  await bench.engine.until(() => exchanges().some(({ body }) => body.completed && !body.poll))
})

const isReport = (path: string) => path === "/v1/jobs/exchange" || /\/(complete|fail)$/.test(path)
