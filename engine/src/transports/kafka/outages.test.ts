// The way of an event from a transaction to Kafka while parts of it fail: nothing is lost, and each key stays in order.
import type { ChildProcess } from "node:child_process"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { loadConfig } from "../../config.ts"
import { type Engine, startEngine } from "../../engine.ts"
import { publishEvent } from "../../operations/events/publish-event.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { createLogger } from "../../support/log.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "../../test-support/kafka.ts"
import { createSeverableProxy } from "../../test-support/severable-proxy.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { runTypeScript } from "../../test-support/typescript-process.ts"
import type { KafkaSinkSettings } from "./sink.ts"

const CLI = new URL("../../cli.ts", import.meta.url)

const envOf = (dsn: string, settings: KafkaSinkSettings): Record<string, string> => ({
  WE_POSTGRES_DSN: dsn,
  WE_REST_PORT: "0",
  WE_METRICS_PORT: "0",
  WE_GRPC_PORT: "0",
  DB_MAX_CONNS: "4",
  WE_EVENT_SINKS: "kafka",
  WE_OUTBOX_BATCH_SIZE: "20",
  WE_KAFKA_SEED_BROKERS: settings.kafkaSeedBrokers.join(),
  WE_KAFKA_TRANSPORT: settings.kafkaTransport ?? "",
  ...(settings.kafkaSaslUsername && { WE_KAFKA_SASL_USERNAME: settings.kafkaSaslUsername }),
  ...(settings.kafkaSaslPassword && { WE_KAFKA_SASL_PASSWORD: settings.kafkaSaslPassword }),
  ...(settings.kafkaTlsCaPath && { WE_KAFKA_TLS_CA_PATH: settings.kafkaTlsCaPath }),
})

const KEYS = 5

describe.skipIf(lacksKafka)("events to Kafka (needs Java and Kafka)", () => {
  let kafka: TestKafka
  let database: { dsn: string; drop(): Promise<void> }
  let kernel: Kernel
  let engine: Engine | undefined
  let child: ChildProcess | undefined
  let published = 0

  beforeAll(async () => {
    kafka = await startKafka()
    database = await createTestDatabase()
    kernel = await createBareKernel(database.dsn)
  }, KAFKA_START_MS)
  afterEach(async () => {
    child?.kill("SIGKILL")
    await engine?.stop()
    engine = undefined
    await kernel.db.script("delete from millrace.parked_events")
  })
  afterAll(async () => {
    await kernel?.db.close()
    await database?.drop()
    await kafka?.stop()
  })

  const start = async (settings = kafka.plaintext, dsn = database.dsn): Promise<Engine> => {
    engine = await startEngine(loadConfig({ env: envOf(dsn, settings) }), createLogger({ level: "silent" }), {
      loops: [],
    })
    return engine
  }
  const publish = async (type: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      const n = published++
      await publishEvent(kernel, { type, key: `k${n % KEYS}`, payload: { n } })
    }
  }
  /** The sink has had, or has parked, everything. */
  const untilDone = () =>
    expect
      .poll(() =>
        kernel.db.script(
          "select after_seq = (select last_value from millrace.event_seq) as is_done from millrace.sinks",
        ),
      )
      .toEqual([{ is_done: true }])
  /** Repeats are allowed, gaps and another order are not. */
  const expectAll = async (topic: string, from: number): Promise<void> => {
    const wanted = Array.from({ length: published - from }, (_, at) => from + at)
    const found = (await kafka.read(topic)).map(({ key, value, headers }) => ({
      key,
      id: headers["event-id"],
      n: JSON.parse(value).n,
    }))
    expect([...new Set(found.map(({ n }) => n))].toSorted((a, b) => a - b)).toEqual(wanted)
    expect(new Set(found.map(({ id }) => id)).size).toBe(wanted.length)
    for (let key = 0; key < KEYS; key += 1) {
      const firsts = [...new Set(found.filter((one) => one.key === `k${key}`).map(({ n }) => n))]
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
    }
  }
  const parked = () =>
    kernel.db.script(
      "select e.payload, p.reason, p.attempts from millrace.parked_events p join millrace.events e on e.id = p.event_id order by p.seq",
    )

  test("F-08, C-93: from the settings to the topic, over TLS with a password", async () => {
    await kafka.createTopic("paid", { partitions: 3 })
    const from = published
    await publish("paid", 30)
    await start(kafka.secured)
    await publish("paid", 30)
    await untilDone()
    await expectAll("paid", from)
  })

  test(
    "F53, L3, C-101: the broker is killed with -9 and restarted",
    async () => {
      await kafka.createTopic("broker", { partitions: 2 })
      const from = published
      await start()
      await publish("broker", 40)
      const killing = kafka.kill()
      await publish("broker", 40)
      await killing
      await publish("broker", 20)
      await kafka.restart()
      await publish("broker", 20)
      await untilDone()
      await expectAll("broker", from)
      expect(await parked()).toEqual([])
    },
    KAFKA_START_MS,
  )

  test("F20: the process that leads the relay is killed with -9, and another goes on", async () => {
    await kafka.createTopic("leader", { partitions: 2 })
    const from = published
    const env = envOf(database.dsn, kafka.plaintext)
    const first = runTypeScript(CLI, ["start", "--services", "relay"], env)
    child = first.child
    await publish("leader", 40)
    await expect.poll(async () => (await kafka.read("leader")).length).toBeGreaterThan(0)
    await start()
    const publishing = publish("leader", 80)
    first.child.kill("SIGKILL")
    await first.ended
    await publishing
    await untilDone()
    await expectAll("leader", from)
  })

  test("F54, F-T7: a record that is too large is parked with its reason, later ones of its key behind it, and the rest flow", async () => {
    await kafka.createTopic("tight", { maxMessageBytes: 2_000 })
    await start()
    const large = { n: published++, text: "x".repeat(3_000) }
    await publishEvent(kernel, { type: "tight", key: "large", payload: large })
    await publishEvent(kernel, { type: "tight", key: "large", payload: { n: published++ } })
    const from = published
    await publish("tight", 20)
    await untilDone()
    expect(await parked()).toMatchObject([
      { reason: expect.stringContaining("larger than the topic takes"), attempts: 1 },
      { reason: "an earlier event of its key is parked", attempts: 0 },
    ])
    await expectAll("tight", from)
  })

  test("F58: a topic is deleted; its events are parked with the command that makes it, the rest flow, and none is lost", async () => {
    await kafka.createTopic("doomed")
    await kafka.createTopic("spared")
    await start()
    await publish("doomed", 5)
    await untilDone()
    await kafka.deleteTopic("doomed")
    const lost = published
    await publish("doomed", 5)
    for (const n of [1, 2, 3]) await publishEvent(kernel, { type: "spared", key: "spared", payload: { n } })
    await untilDone()
    expect([...new Set((await kafka.read("spared")).map(({ value }) => JSON.parse(value).n))]).toEqual([1, 2, 3])
    const reasons = (await parked()).map(({ reason }) => reason)
    expect(reasons).toHaveLength(5)
    expect(reasons[0]).toContain("millrace kafka topics doomed --create")
    await kafka.createTopic("doomed")
    await kernel.db.script("update millrace.parked_events set next_at = millrace.clock()")
    await expect.poll(parked).toEqual([])
    const found = (await kafka.read("doomed")).map(({ value }) => JSON.parse(value).n)
    expect([...new Set(found)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4].map((n) => lost + n))
  })

  test("F53: the database goes away and comes back", async () => {
    await kafka.createTopic("database", { partitions: 2 })
    const from = published
    const door = await createSeverableProxy(database.dsn)
    await start(kafka.plaintext, door.dsn)
    await publish("database", 40)
    await door.sever()
    await publish("database", 20)
    await door.heal()
    await publish("database", 20)
    await untilDone()
    await expectAll("database", from)
    await engine?.stop()
    await door.close()
  })

  test.each<[string, () => Partial<KafkaSinkSettings>, RegExp]>([
    ["a certificate that is not trusted", () => ({ kafkaTlsCaPath: undefined }), /WE_KAFKA_TLS_CA_PATH/],
    ["a wrong password", () => ({ kafkaSaslPassword: "wrong" }), /WE_KAFKA_SASL_PASSWORD/],
    ["TLS at a plaintext port", () => ({ kafkaSeedBrokers: kafka.plaintext.kafkaSeedBrokers }), /WE_KAFKA_TRANSPORT/],
  ])("trap 2: %s ends the start, and nothing is sent in plaintext", async (_, change, advice) => {
    await expect(start({ ...kafka.secured, ...change() })).rejects.toThrow(advice)
  })

  test("trap 2: a broker that is away does not; a missing topic is named with the command that makes it", async () => {
    const lines: unknown[] = []
    const log = Object.assign(createLogger({ level: "silent" }), {
      error: (line: unknown) => void lines.push(line),
      warn: (_: unknown, line: string) => void lines.push(line),
    })
    const { checkKafkaSink } = await import("./check-sink.ts")
    await checkKafkaSink(kafka.at("127.0.0.1:1"), ["paid"], log)
    await checkKafkaSink(kafka.plaintext, ["never.made", "no:topic"], log)
    expect(lines).toEqual([
      expect.stringMatching(/^Kafka at 127\.0\.0\.1:1: no broker.*WE_KAFKA_SEED_BROKERS.*Events are kept/),
      expect.stringContaining("millrace kafka topics never.made --create"),
    ])
  })
})
