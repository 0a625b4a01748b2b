// Workers whose jobs come through a real Kafka: what is handled, reported and committed, and when.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { EngineClient } from "../client/engine-client.ts"
import { KAFKA_START_MS, lacksKafka, type SentEvent, startKafka, type TestKafka } from "../test-support/kafka.ts"
import { deferred, type RecordingLogger, recordingLogger, refusal, Tally } from "../test-support/samples.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"
import type { Handler } from "../worker/handlers.ts"
import { KafkaRunner, type KafkaRunnerOptions } from "./kafka-runner.ts"

describe.skipIf(lacksKafka)("workers of Kafka (needs Java and Kafka)", () => {
  let kafka: TestKafka
  let engine: ScriptedEngine
  let client: EngineClient
  let logger: RecordingLogger
  const runners: KafkaRunner[] = []
  let jobType = ""
  let made = 0

  beforeAll(async () => {
    kafka = await startKafka()
  }, KAFKA_START_MS)
  beforeEach(async () => {
    jobType = `work-${++made}`
    logger = recordingLogger()
    engine = await ScriptedEngine.start()
    client = new EngineClient({ url: engine.url })
  })
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop({ timeoutMs: 0 })))
    client.close()
    await engine.stop()
  })
  afterAll(() => kafka?.stop())

  const topic = () => `workflow.jobs.${jobType}`
  const committed = () => kafka.committed(`workflow.workers.${jobType}`, topic())
  const produce = (...events: (SentEvent | Buffer)[]) => kafka.produce(topic(), events)
  const ids = () => engine.reports.map(({ jobId }) => jobId)

  function event(n: number, more: SentEvent = {}): SentEvent {
    const ids = { dedupId: `${jobType}-dispatch-${n}`, jobId: `job-${n}`, instanceId: `instance-${n}` }
    return { ...ids, jobType, leaseToken: `token-${n}`, attempt: 1, variables: { n }, ...more }
  }

  function run(handler: Handler, options: Partial<KafkaRunnerOptions> = {}): KafkaRunner {
    const handlers = { [jobType]: handler }
    const runner = new KafkaRunner({ client, logger, workerId: "w", handlers, kafka: kafka.plaintext, ...options })
    runners.push(runner)
    return runner.start()
  }

  test("C-94 C-112: messages from before its first start are handled, reported with their token, then committed", async () => {
    await kafka.createTopic(topic())
    await produce(event(1, { stepId: "pay", retriesRemaining: 2 }), event(2))
    const jobs = new Tally<unknown>()
    const runner = run((job) => {
      jobs.add(job)
      return { doubled: Number(job.variables.n) * 2 }
    })
    await engine.until(() => engine.reports.length === 2)
    expect(jobs.items[0]).toMatchObject({ id: "job-1", jobType, stepId: "pay", attempt: 1, retriesRemaining: 2 })
    expect(engine.reports[0]).toMatchObject({ jobId: "job-1", leaseToken: "token-1", variables: { doubled: 2 } })
    await expect.poll(committed).toEqual([2])
    expect(engine.requests("/v1/jobs/poll")).toEqual([])
    expect(runner.metricsText()).toContain(
      `workflow_sdk_jobs_completed_total{job_type="${jobType}",outcome="success"} 2`,
    )
  })

  test("C-109: failures are reported by the same rules as of polled jobs, also without a token", async () => {
    await kafka.createTopic(topic())
    await produce(event(1), event(2, { jobType: "another" }), event(3, { leaseToken: "" }))
    run(() => {
      throw new Error("no luck")
    })
    await engine.until(() => engine.reports.length === 3)
    const byJob = Object.fromEntries(engine.reports.map((report) => [report.jobId, report]))
    expect(byJob["job-1"]).toMatchObject({ kind: "failed", retryable: true, errorMessage: "no luck" })
    expect(byJob["job-2"]).toMatchObject({ retryable: false, errorMessage: "no handler registered for another" })
    expect(byJob["job-3"]).not.toHaveProperty("leaseToken")
    await expect.poll(committed).toEqual([3])
  })

  test("C-113: while the engine does not answer, a report is sent again and its message is not committed", async () => {
    await kafka.createTopic(topic())
    let isAway = true
    engine.on("/v1/jobs/exchange", () => (isAway ? refusal(503, "unavailable") : undefined))
    await produce(event(1), event(2))
    let handled = 0
    run(() => void handled++)
    await engine.until(() => engine.requests("/v1/jobs/exchange").length >= 4)
    expect(await committed()).toEqual([])
    isAway = false
    await expect.poll(committed).toEqual([2])
    expect(handled).toBe(2)
  })

  test("C-113: a dispatch whose report never arrived is handled again by the next worker", async () => {
    await kafka.createTopic(topic())
    engine.on("/v1/jobs/exchange", () => refusal(503, "unavailable"))
    await produce(event(1))
    const first = run(() => ({}))
    await engine.until(() => engine.reports.length > 0)
    expect(await first.stop({ timeoutMs: 0 })).toMatchObject({ drained: false })
    engine.on("/v1/jobs/exchange", ({ body }) => ({
      body: { results: (body.completed ?? []).map(({ jobId }) => ({ jobId, outcome: "accepted" })), jobs: [] },
    }))
    const again = new Tally<string>()
    run((job) => again.add(job.id))
    await again.reach(1)
    await expect.poll(committed).toEqual([1])
  })

  test("C-112: a dispatch that was answered is not handled again; another dispatch of the same job is", async () => {
    await kafka.createTopic(topic())
    const handled = new Tally<number>()
    run(({ attempt }) => handled.add(attempt))
    await produce(event(1))
    await expect.poll(committed).toEqual([1])
    await produce(event(1), event(1, { dedupId: `${jobType}-again`, attempt: 2 }))
    await expect.poll(committed).toEqual([3])
    expect(handled.items).toEqual([1, 2])
  })

  test("W-25: variables that had no room in the message are asked for before the handler runs", async () => {
    await kafka.createTopic(topic())
    let isAway = true
    const lockExpiresAt = "2025-01-01T00:00:30.000Z"
    engine.on("/v1/jobs/job-1/heartbeat", () =>
      isAway ? refusal(503, "unavailable") : { body: { lockExpiresAt, variables: { n: 41 } } },
    )
    engine.on("/v1/jobs/job-2/heartbeat", () => refusal(409, "lease-lost"))
    const large = { payloadOmitted: true, variables: {} }
    await produce(event(1, large), event(2, large))
    const handled = new Tally<unknown>()
    run(({ id, variables }) => handled.add([id, variables]))
    await engine.until(() => engine.requests("/v1/jobs/job-1/heartbeat").length > 1)
    expect(handled.items).toEqual([])
    isAway = false
    await expect.poll(committed).toEqual([2])
    expect(handled.items).toEqual([["job-1", { n: 41 }]])
    expect(engine.requests("/v1/jobs/job-1/heartbeat")[0]?.body).toMatchObject({
      leaseToken: "token-1",
      withVariables: true,
    })
  })

  test("C-113: a report that the engine calls stale was answered: the message is committed", async () => {
    await kafka.createTopic(topic())
    engine.on("/v1/jobs/exchange", () => ({ body: { results: [{ jobId: "job-1", outcome: "stale" }], jobs: [] } }))
    await produce(event(1))
    run(() => ({}))
    await expect.poll(committed).toEqual([1])
  })

  test("C-112: what is no dispatch is logged and skipped", async () => {
    await kafka.createTopic(topic())
    const noObject = event(9, { jobPayload: Buffer.from("[1]") })
    await produce(Buffer.from([0xff, 0xff]), noObject, event(1))
    run(() => ({}))
    await expect.poll(committed).toEqual([3])
    expect(ids()).toEqual(["job-1"])
    const skipped = logger.lines.filter(({ message }) => message.includes("no dispatch of a job"))
    expect(skipped.map(({ fields }) => fields.offset).toSorted()).toEqual(["0", "1"])
  })

  test("C-107: messages of one instance come one after the other, of others beside them, and no more than its places", async () => {
    await kafka.createTopic(topic())
    const one = { instanceId: "one" }
    await produce(event(1, one), event(2, one), event(3), event(4))
    const begun = new Tally<string>()
    const gates = new Map(["job-1", "job-2", "job-3", "job-4"].map((id) => [id, deferred()]))
    run(
      (job) => {
        begun.add(job.id)
        return gates.get(job.id)!.promise
      },
      { concurrency: 2 },
    )
    await begun.reach(2)
    expect(begun.items).toEqual(["job-1", "job-3"])
    gates.get("job-3")!.resolve()
    await begun.reach(3)
    expect(begun.items[2]).toBe("job-4")
    gates.get("job-4")!.resolve()
    await engine.until(() => ids().length === 2)
    // The messages behind the first are done, and the first is not.
    expect(await committed()).toEqual([])
    gates.get("job-1")!.resolve()
    await begun.reach(4)
    await expect.poll(committed).toEqual([1])
    gates.get("job-2")!.resolve()
    await expect.poll(committed).toEqual([4])
  })

  test("C-110: a stop lets handlers end, reports and commits them, and begins no more", async () => {
    await kafka.createTopic(topic())
    await produce(event(1), event(2))
    const begun = new Tally<string>()
    const gate = deferred()
    const runner = run(
      async (job) => {
        begun.add(job.id)
        await gate.promise
      },
      { concurrency: 1 },
    )
    await begun.reach(1)
    const stopped = runner.stop()
    gate.resolve()
    expect(await stopped).toEqual({ drained: true, unfinished: 0 })
    expect(ids()).toEqual(["job-1"])
    expect(await committed()).toEqual([1])
  })

  test("C-94: a worker that comes takes partitions over; what ran of them is told to stop, and nothing is left out", async () => {
    await kafka.createTopic(topic(), 4)
    const keyed = Array.from({ length: 24 }, (_, n) => event(n))
    await produce(...keyed)
    const [begun, told] = [new Tally<string>(), new Tally<string>()]
    const gate = deferred()
    run(async (job, { signal }) => {
      begun.add(job.id)
      signal.addEventListener("abort", () => told.add(job.id))
      await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))])
      signal.throwIfAborted()
    })
    await begun.reach(24)
    const late = new Tally<string>()
    run((job) => late.add(job.id), { workerId: "late" })
    await told.reach(1)
    await late.reach(1)
    gate.resolve()
    await engine.until(() => new Set(ids()).size === 24)
    expect(new Set(late.items)).toEqual(new Set(told.items))
    await expect.poll(async () => (await committed()).reduce((sum, offset) => sum + offset, 0)).toBe(24)
  })

  test("trap 4: handlers outlive an outage of the broker, run once, and later messages come", async () => {
    await kafka.createTopic(topic())
    await produce(event(1))
    const begun = new Tally<string>()
    const gate = deferred()
    run(async (job) => {
      begun.add(job.id)
      if (job.id === "job-1") await gate.promise
    })
    await begun.reach(1)
    await kafka.kill()
    await logger.heard("a consumer of Kafka failed, beginning anew")
    await kafka.restart()
    await produce(event(2))
    await begun.reach(2)
    gate.resolve()
    await expect.poll(committed).toEqual([2])
    expect(begun.items).toEqual(["job-1", "job-2"])
  })

  test("TLS with a password serves it, and a wrong one is told with what to do", async () => {
    await kafka.createTopic(topic())
    await produce(event(1))
    run(() => ({}), { kafka: { ...kafka.secured, password: "wrong" } })
    await logger.heard("a consumer of Kafka failed, beginning anew")
    expect(String(logger.lines.at(-1)?.fields.error)).toContain("correct kafka.username and kafka.password")
    run(() => ({}), { kafka: kafka.secured, workerId: "other" })
    await expect.poll(committed).toEqual([1])
  })
})
