// Engines that push jobs through a real Kafka: what they check at the start, and workers as they exist.
import type { ChildProcess } from "node:child_process"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { loadConfig } from "./config.ts"
import { Database } from "./db/database.ts"
import { type Engine, startEngine } from "./engine.ts"
import { createLogger } from "./support/log.ts"
import { end, service, step, workflow } from "./test-support/definitions.ts"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "./test-support/kafka.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"
import { runTypeScript } from "./test-support/typescript-process.ts"
import type { GroupConsumer } from "./transports/kafka/group-consumer.ts"
import { type Delivery, startKafkaWorker } from "./transports/kafka/test-support/kafka-worker.ts"

const CLI = new URL("./cli.ts", import.meta.url)
let kafka: TestKafka
let child: ChildProcess | undefined
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
const TWICE = `select h.instance_id from millrace.history h join millrace.finished_instances i on i.id = h.instance_id
  where h.step_type = 'SERVICE_TASK' and i.definition_id = 'two' group by h.instance_id having count(*) <> 2`

const LED = "select from millrace.leaders where name = 'dispatcher' and until > millrace.clock()"

const JOB_TYPES = ["pick", "pack"]
const branch = (id: string) => service(id, "join", { jobType: "pick" })
/** Three messages of one key in a topic. */
const FORKED = workflow("forked", [
  step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["a", "b", "c"], joinStep: "join" }),
  ...["a", "b", "c"].map(branch),
  step("JOIN_GATEWAY", "join", { nextStep: "end" }),
  end(),
])
const TWO = workflow("two", [service("pick", "pack", { retryCount: 3 }), service("pack", "end"), end()])

describe.skipIf(lacksKafka)("C-T3: dispatch through Kafka (needs Java and Kafka)", () => {
  beforeAll(async () => {
    kafka = await startKafka()
    database = await createTestDatabase()
    tables = new Database({ dsn: database.dsn, schema: "millrace", maxConnections: 1 })
  }, KAFKA_START_MS)
  afterAll(async () => {
    child?.kill("SIGKILL")
    await kafka?.stop()
    await tables?.close()
    await database?.drop()
  })

  test("C-100, C-89: an engine that polls asks no broker, leaves the table empty, and has no metric of the relay", async () => {
    const engine = await start({ WE_DISPATCH_MODE: "polling", WE_KAFKA_SEED_BROKERS: "127.0.0.1:1" })
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

    test("C-100, C-119: the metrics of dispatch are there, and those of polls are not", async () => {
      const metrics = async () => (await fetch(`${engine.metricsUrl}/metrics`)).text()
      await expect.poll(metrics).toContain("workflow_engine_dispatch_relay_leader 1")
      const page = await metrics()
      expect(page).toContain("workflow_engine_dispatch_outbox_backlog 0")
      expect(page).toMatch(/workflow_engine_dispatch_relay_publish_total\{result="written"\} [1-9]/)
      expect(page).toMatch(/workflow_engine_dispatch_relay_batch_latency_seconds_count [1-9]/)
      expect(page).not.toMatch(/job_(empty_polls|lock_conflicts|poll_latency)/)
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

    test("W-25: variables beyond a message fail the instance; by reference the worker asks for them", async () => {
      await kafka.createTopic("workflow.jobs.scan", { maxMessageBytes: 2_000 })
      await upload(engine, workflow("scan", [service("scan", "end"), end()]))
      const text = Array.from({ length: 5_000 }, (_, n) => n.toString(36)).join("")
      const failed = await begin(engine, "scan", { text })
      await expect
        .poll(() => call(engine, "GET", `/v1/instances/${failed}`))
        .toMatchObject({
          body: { status: "FAILED", failureReason: expect.stringContaining("do not fit into a message") },
        })
      const said = await call(engine, "PUT", "/v1/job-types/scan", { largePayload: "reference" })
      expect(said.status).toBe(200)
      const handle = async ({ event, complete }: Delivery) => {
        const { jobId, leaseToken, payloadOmitted: withVariables } = event
        const asked = { workerId: "any", leaseToken, withVariables }
        const { body } = await call(engine, "POST", `/v1/jobs/${jobId}/heartbeat`, asked)
        await complete({ fetched: body })
      }
      workers.push(
        startKafkaWorker({ settings: kafka.plaintext, restUrl: () => engine.restUrl, jobType: "scan", handle }),
      )
      const id = await begin(engine, "scan", { text })
      await expect.poll(() => statusOf(engine, id)).toBe("COMPLETED")
      const { body } = await call(engine, "GET", `/v1/instances/${id}`)
      expect(body).toMatchObject({ variables: { fetched: { variables: { text } } } })
    })
  })

  test("C-98: switched to polling and back under load, each step of each instance is counted once", async () => {
    const before = Number((await tables.script(ENDED))[0]?.n)
    const quick = { WE_LEASE_DEFAULT: "5s", WE_MAX_LOST_LEASES: "100" }
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

  test("C-101: the process that leads the relay is killed with -9: another goes on, nothing is lost, each key in order", async () => {
    const first = runTypeScript(CLI, ["start", "--services", "relay"], env())
    child = first.child
    await expect.poll(() => tables.script(LED)).toHaveLength(1)
    const engine = await start()
    expect((await upload(engine, FORKED)).status).toBe(201)
    const workers = JOB_TYPES.map((jobType) =>
      startKafkaWorker({
        settings: kafka.plaintext,
        restUrl: () => engine.restUrl,
        jobType,
        handle: ({ complete }) => complete(),
      }),
    )
    const before = Number((await tables.script(ENDED))[0]?.n)
    const published = (await kafka.read("workflow.jobs.pick")).length
    const starts = Promise.all(Array.from({ length: 40 }, () => begin(engine, "forked")))
    await expect.poll(async () => (await kafka.read("workflow.jobs.pick")).length).toBeGreaterThan(published)
    first.child.kill("SIGKILL")
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" })
    const ids = new Set(await starts)
    await expect.poll(() => tables.script(ENDED)).toEqual([{ n: before + ids.size }])
    const messages = (await kafka.read("workflow.jobs.pick")).filter(({ key }) => ids.has(key ?? ""))
    for (const id of ids) {
      // Dedup ids are in the order of the claims; a repeat is no other order.
      const told = messages.filter(({ key }) => key === id).map(({ headers }) => headers["dedup-id"] ?? "")
      expect([...new Set(told)]).toEqual([...new Set(told)].toSorted())
      expect(new Set(told).size).toBe(3)
    }
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
