// Engines that push jobs through a real Kafka: what they check at the start, and workers as they exist.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { loadConfig } from "./config.ts"
import { Database } from "./db/database.ts"
import { type Engine, startEngine } from "./engine.ts"
import { createLogger } from "./support/log.ts"
import { end, service, workflow } from "./test-support/definitions.ts"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "./test-support/kafka.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"
import type { GroupConsumer } from "./transports/kafka/group-consumer.ts"
import { type Delivery, startKafkaWorker } from "./transports/kafka/test-support/kafka-worker.ts"

let kafka: TestKafka
let database: { dsn: string; drop(): Promise<void> }
let tables: Database

const env = (more: Record<string, string> = {}) => ({
  WE_POSTGRES_DSN: database.dsn,
  DB_MAX_CONNS: "8",
  WE_REST_PORT: "0",
  WE_GRPC_PORT: "0",
  WE_METRICS_PORT: "0",
  WE_KAFKA_SEED_BROKERS: kafka.plaintext.kafkaSeedBrokers.join(),
  WE_KAFKA_TRANSPORT: "plaintext",
  WE_DISPATCH_MODE: "kafka_outbox",
  ...more,
})
const start = (more?: Record<string, string>): Promise<Engine> =>
  startEngine(loadConfig({ env: env(more), readFile: () => "" }), createLogger({ level: "silent" }))

async function call(engine: Engine, method: string, path: string, sent?: object) {
  const answer = await fetch(`${engine.restUrl}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(sent ? { body: JSON.stringify(sent) } : {}),
  })
  const body = (await answer.json().catch(() => ({}))) as { id?: string; status?: string; jobs?: unknown[] }
  return { status: answer.status, body }
}
const upload = (engine: Engine, document: object) => call(engine, "POST", "/v1/definitions", document)
async function begin(engine: Engine, definitionId: string, variables: object = {}): Promise<string> {
  const { body } = await call(engine, "POST", "/v1/instances", { definitionId, variables })
  return body.id ?? ""
}
const statusOf = async (engine: Engine, id: string) => (await call(engine, "GET", `/v1/instances/${id}`)).body.status
const count = async (table: string) =>
  Number((await tables.script(`select count(*) as n from millrace.${table}`))[0]?.n)

const UNPUBLISHED = "select count(*)::int as n from millrace.dispatches where published_at is null"
const ENDED = "select count(*)::int as n from millrace.finished_instances where status = 'COMPLETED'"
const TWICE = `select instance_id from millrace.history where step_type = 'SERVICE_TASK'
  group by instance_id having count(*) <> 2`

const JOB_TYPES = ["pick", "pack"]
const TWO = workflow("two", [service("pick", "pack", { retryCount: 3 }), service("pack", "end"), end()])

describe.skipIf(lacksKafka)("dispatch through Kafka (needs Java and Kafka)", () => {
  beforeAll(async () => {
    kafka = await startKafka()
    database = await createTestDatabase()
    tables = new Database({ dsn: database.dsn, schema: "millrace", maxConnections: 1 })
  }, KAFKA_START_MS)
  afterAll(async () => {
    await kafka?.stop()
    await tables?.close()
    await database?.drop()
  })

  test("C-100: an engine that polls leaves the table empty and has no metric of the relay", async () => {
    const engine = await start({ WE_DISPATCH_MODE: "polling" })
    expect((await upload(engine, TWO)).status).toBe(201)
    await begin(engine, "two")
    await pollUntilAllEnded(engine, 1)
    const metrics = await (await fetch(`${engine.metricsUrl}/metrics`)).text()
    expect(metrics).not.toMatch(/dispatch_relay|dispatch_outbox|kafka/)
    expect(metrics).toContain("workflow_engine_job_empty_polls_total")
    expect(await count("dispatches")).toBe(0)
    await engine.stop()
  })

  test("C-95: it does not start while a topic of a definition is missing, or no broker answers", async () => {
    await expect(start()).rejects.toThrow(/millrace kafka topics workflow\.jobs\.pack workflow\.jobs\.pick --create/)
    await expect(start({ WE_KAFKA_SEED_BROKERS: "127.0.0.1:1" })).rejects.toThrow(/no broker of Kafka answers/)
    for (const jobType of JOB_TYPES) await kafka.createTopic(`workflow.jobs.${jobType}`, { partitions: 2 })
    await (await start()).stop()
  })

  describe("running", () => {
    let engine: Engine
    let workers: GroupConsumer[] = []
    const deliveries: Delivery[] = []
    beforeAll(async () => {
      engine = await start()
      workers = JOB_TYPES.map((jobType) =>
        startKafkaWorker({
          settings: kafka.plaintext,
          restUrl: () => engine.restUrl,
          jobType,
          handle: async (delivery) => {
            deliveries.push(delivery)
            await delivery.complete({ [jobType]: true })
          },
        }),
      )
    })
    afterAll(async () => {
      for (const worker of workers) await worker.stop()
      await engine?.stop()
    })

    test("W-20, W-26, C-98: two hops, begun while the engine polled and since", async () => {
      const id = await begin(engine, "two", { n: 1 })
      await expect.poll(() => statusOf(engine, id)).toBe("COMPLETED")
      const mine = deliveries.filter(({ event }) => event.instanceId === id)
      expect(mine.map(({ event }) => event.jobType)).toEqual(["pick", "pack"])
      for (const { event, message } of mine) {
        expect(message.key).toBe(id)
        expect(message.headers).toEqual({
          "content-type": "application/x-protobuf; proto=workflow.v1.JobDispatchEvent",
          "dedup-id": event.dedupId,
        })
      }
      expect(JSON.parse(Buffer.from(mine[1]?.event.jobPayload ?? []).toString())).toEqual({ n: 1, pick: true })
    })

    test("C-102: the rows of what the consumers have passed are gone", async () => {
      await expect.poll(() => count("dispatches")).toBe(0)
    })

    test("C-96, W-23: a poll for pushed types is told where they are; a mixed one is served for the rest", async () => {
      const poll = (jobTypes: string[]) => call(engine, "POST", "/v1/jobs/poll", { workerId: "w", jobTypes })
      const refused = await poll(["pick", "pack"])
      expect(refused).toMatchObject({ status: 410, body: { error: "polling-disabled" } })
      expect(JSON.stringify(refused.body)).toContain("workflow.jobs.<jobType>")
      expect((await poll(["pick", "else"])).status).toBe(200)
    })

    test("C-101: while the broker is away starts are taken; afterwards everything goes by itself, each step once", async () => {
      const before = Number((await tables.script(ENDED))[0]?.n)
      await kafka.kill()
      const ids = await Promise.all(Array.from({ length: 25 }, () => begin(engine, "two")))
      await expect.poll(() => tables.script(UNPUBLISHED)).not.toEqual([{ n: 0 }])
      await kafka.restart()
      await expect.poll(() => tables.script(ENDED)).toEqual([{ n: before + ids.length }])
      expect(await tables.script(TWICE)).toEqual([])
    }, 240_000)

    test("W-24, C-95: an upload is refused for a type that Kafka cannot have, or that has no topic", async () => {
      const impossible = await upload(engine, workflow("x", [service("a:b", "end"), end()]))
      expect(impossible.status).toBe(400)
      expect(JSON.stringify(impossible.body)).toContain("letters, digits")
      const missing = await upload(engine, workflow("x", [service("ship", "end"), end()]))
      expect(JSON.stringify(missing.body)).toContain("millrace kafka topics workflow.jobs.ship --create")
      await kafka.createTopic("workflow.jobs.ship")
      expect((await upload(engine, workflow("x", [service("ship", "end"), end()]))).status).toBe(201)
    })
  })

  test("C-98: switched to polling and back under load, each step of each instance is counted once", async () => {
    const before = Number((await tables.script(ENDED))[0]?.n)
    const quick = { WE_LEASE_DEFAULT: "5s" }
    let engine = await start(quick)
    const workers = JOB_TYPES.map((jobType) =>
      startKafkaWorker({
        settings: kafka.plaintext,
        restUrl: () => engine.restUrl,
        jobType,
        handle: ({ complete }) => complete().catch(() => {}),
      }),
    )
    const many = () => Promise.all(Array.from({ length: 20 }, () => begin(engine, "two")))
    await many()
    for (const mode of ["polling", "kafka_outbox"]) {
      await engine.stop()
      engine = await start({ ...quick, WE_DISPATCH_MODE: mode })
      await many()
      if (mode === "polling") await pollUntilAllEnded(engine, before + 40)
    }
    await expect.poll(() => tables.script(ENDED)).toEqual([{ n: before + 60 }])
    expect(await tables.script(TWICE)).toEqual([])
    for (const worker of workers) await worker.stop()
    await engine.stop()
  }, 300_000)
})

/** As a worker that polls. */
async function pollUntilAllEnded(engine: Engine, count: number): Promise<void> {
  while (Number((await tables.script(ENDED))[0]?.n) < count) {
    const request = { workerId: "w", jobTypes: JOB_TYPES, waitSeconds: 1 }
    const { body } = await call(engine, "POST", "/v1/jobs/poll", request)
    for (const { id, leaseToken } of (body.jobs ?? []) as { id: string; leaseToken: string }[])
      await call(engine, "POST", `/v1/jobs/${id}/complete`, { workerId: "w", leaseToken, variables: {} })
  }
}
