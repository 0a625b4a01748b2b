// The producer on a real Kafka: what becomes of each record when brokers die, answers are lost, topics vanish and records are too large.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import type { OutgoingEvent } from "../../operations/events/sink.ts"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "../../test-support/kafka.ts"
import { createSeverableProxy, type SeverableProxy } from "../../test-support/severable-proxy.ts"
import { KafkaProducer } from "./producer.ts"
import type { KafkaRecord } from "./record.ts"
import { kafkaSink } from "./sink.ts"

/** Waited for to its end where Kafka is silent; longer than a busy machine stands still. */
const DEADLINE_MS = 15_000

const record = (topic: string, key: string | null, value: string): KafkaRecord => ({
  topic,
  key,
  value: Buffer.from(value),
  headers: {},
})

describe.skipIf(lacksKafka)("the producer of Kafka (needs Java and Kafka)", () => {
  let kafka: TestKafka
  const producers: KafkaProducer[] = []
  const open = (settings = kafka.plaintext, deadlineMs?: number): KafkaProducer => {
    const producer = new KafkaProducer(settings, deadlineMs === undefined ? {} : { deadlineMs })
    producers.push(producer)
    return producer
  }
  const valuesIn = async (topic: string) => (await kafka.read(topic)).map(({ value }) => value)

  beforeAll(async () => {
    kafka = await startKafka()
  }, KAFKA_START_MS)
  afterEach(async () => {
    for (const producer of producers.splice(0)) await producer.close().catch(() => {})
  })
  afterAll(() => kafka?.stop())

  test("C-93: what is acknowledged is there, in order per key, at the place that was told", async () => {
    await kafka.createTopic("ordered", { partitions: 4 })
    const records = Array.from({ length: 400 }, (_, at) => record("ordered", `k${at % 7}`, `${at}`))
    const producer = open(kafka.secured)
    const verdicts = (
      await Promise.all([producer.send(records.slice(0, 250)), producer.send(records.slice(250))])
    ).flat()
    const found = await kafka.read("ordered")
    expect(found).toHaveLength(400)
    for (const [at, verdict] of verdicts.entries())
      expect(found.find(({ value }) => value === `${at}`)).toMatchObject({
        partition: "partition" in verdict ? verdict.partition : undefined,
        offset: "offset" in verdict ? verdict.offset : undefined,
        key: `k${at % 7}`,
      })
    for (let key = 0; key < 7; key += 1) {
      const values = found.filter((one) => one.key === `k${key}`).map(({ value }) => Number(value))
      expect(values).toEqual(values.toSorted((one, other) => one - other))
    }
  })

  test("records without a key are spread over the partitions", async () => {
    await kafka.createTopic("keyless", { partitions: 3 })
    await open().send(Array.from({ length: 30 }, (_, at) => record("keyless", null, `${at}`)))
    const partitions = (await kafka.read("keyless")).map(({ partition }) => partition)
    expect(new Set(partitions)).toEqual(new Set([0, 1, 2]))
    expect(partitions).toHaveLength(30)
  })

  test("trap 2: a topic that does not exist is refused with the command that makes it; the others are written", async () => {
    await kafka.createTopic("known")
    const verdicts = await open().send([
      record("never-made", "a", "1"),
      record("known", "a", "2"),
      record("not a topic", "a", "3"),
    ])
    expect(verdicts).toEqual([
      {
        kind: "refused",
        fault: "no-topic",
        reason: expect.stringContaining("millrace kafka topics never-made --create"),
      },
      { kind: "written", topic: "known", partition: 0, offset: 0n },
      { kind: "refused", reason: expect.stringContaining("cannot be the name of a topic") },
    ])
  })

  test("trap 2: no broker and a wrong password are answers, and nothing was sent", async () => {
    for (const settings of [kafka.at("127.0.0.1:1"), { ...kafka.secured, kafkaSaslPassword: "wrong" }]) {
      const [verdict] = await open(settings).send([record("known", "a", "1")])
      expect(verdict).toEqual({ kind: "retry", reason: expect.stringMatching(/WE_KAFKA_/) })
    }
  })

  test("a record that is too large is refused alone, and holds back only those behind it of its key", async () => {
    await kafka.createTopic("small", { partitions: 1, maxMessageBytes: 2_000 })
    const large = "x".repeat(3_000)
    const producer = open()
    const verdicts = await producer.send([
      record("small", "a", "a1"),
      record("small", "b", "b1"),
      record("small", "a", large),
      record("small", "a", "a3"),
      record("small", "b", "b2"),
    ])
    expect(verdicts.map(({ kind }) => kind)).toEqual(["written", "written", "refused", "retry", "written"])
    expect(verdicts[2]).toMatchObject({ reason: expect.stringContaining("larger than the topic takes") })
    expect(await valuesIn("small")).toEqual(["a1", "b1", "b2"])
  })

  test("a batch larger than a topic takes is written in parts", async () => {
    await kafka.createTopic("parts", { partitions: 1 })
    const half = "x".repeat(600_000)
    const verdicts = await open().send([
      record("parts", "a", half),
      record("parts", "a", half),
      record("parts", "a", "end"),
    ])
    expect(verdicts.map((verdict) => "offset" in verdict && verdict.offset)).toEqual([0n, 1n, 2n])
  })

  test("trap 1: after a request of which a part failed, the next record to the other part is not lost", async () => {
    await kafka.createTopic("fits", { partitions: 1 })
    await kafka.createTopic("tight", { partitions: 1, maxMessageBytes: 1_000 })
    const producer = open()
    await producer.send([record("fits", "a", "0")])
    const mixed = await producer.send([record("fits", "a", "1"), record("tight", "b", "x".repeat(2_000))])
    expect(mixed.map(({ kind }) => kind)).toEqual(["written", "refused"])
    expect(await producer.send([record("fits", "a", "2")])).toMatchObject([{ kind: "written", offset: 2n }])
    expect(await valuesIn("fits")).toEqual(["0", "1", "2"])
  })

  test("a topic that is deleted under it: unknown within the deadline, then refused", async () => {
    await kafka.createTopic("doomed")
    const producer = open(kafka.plaintext, DEADLINE_MS)
    await producer.send([record("doomed", "a", "1")])
    await kafka.deleteTopic("doomed")
    const [verdict] = await producer.send([record("doomed", "a", "2")])
    expect(["unknown", "refused"]).toContain(verdict?.kind)
    expect(await producer.send([record("doomed", "a", "2")])).toMatchObject([{ kind: "refused" }])
  })

  test("C-101: a broker that is killed and restarted has all that was acknowledged, and takes the rest", async () => {
    await kafka.createTopic("killed", { partitions: 2 })
    const producer = open(kafka.plaintext, 5_000)
    const sendUntilWritten = async (value: string) => {
      for (;;) {
        const [verdict] = await producer.send([record("killed", "k", value)])
        if (verdict?.kind === "written") return
        expect(["unknown", "retry"]).toContain(verdict?.kind)
      }
    }
    for (const value of ["0", "1", "2"]) await sendUntilWritten(value)
    await kafka.kill()
    const [away] = await producer.send([record("killed", "k", "3")])
    expect(["unknown", "retry"]).toContain(away?.kind)
    const later = Promise.all(["3", "4", "5"].map(sendUntilWritten))
    await kafka.restart()
    await later
    expect([...new Set(await valuesIn("killed"))].toSorted()).toEqual(["0", "1", "2", "3", "4", "5"])
  })

  test("the sink names the topic after the type, with its prefix, and the event in the headers", async () => {
    await kafka.createTopic("test.payment.initiated")
    const sink = kafkaSink({ ...kafka.secured, kafkaTopicPrefix: "test." })
    const event = { id: "e1", type: "payment.initiated", key: "p1", payload: '{"amount":100}', createdAt: 1_000 }
    const headers = { traceparent: "00-1", "event-id": "forged" }
    expect(await sink.send([{ ...event, headers }])).toEqual([{ kind: "sent", at: "test.payment.initiated/0/0" }])
    await sink.close()
    expect(await kafka.read("test.payment.initiated")).toMatchObject([
      {
        key: "p1",
        value: '{"amount":100}',
        headers: {
          traceparent: "00-1",
          "event-id": "e1",
          "event-type": "payment.initiated",
          "event-time": "1970-01-01T00:00:01.000Z",
          "content-type": "application/json",
        },
      },
    ])
  })
})

describe.skipIf(lacksKafka)("order over topics (needs Java and Kafka)", () => {
  let kafka: TestKafka
  beforeAll(async () => {
    kafka = await startKafka()
  }, KAFKA_START_MS)
  afterAll(() => kafka?.stop())

  const event = (type: string, key: string, text: string): OutgoingEvent => ({
    ...{ id: `${key}-${text.length}`, type, key, headers: {}, createdAt: 0 },
    payload: JSON.stringify({ text }),
  })
  const kindsOf = async (events: readonly OutgoingEvent[]) => {
    const sink = kafkaSink({ ...kafka.plaintext, kafkaTopicPrefix: "" })
    const outcomes = await sink.send(events)
    await sink.close()
    return outcomes.map(({ kind }) => kind)
  }

  test("S18, F-X7: behind an event whose topic is missing no other of its key is written, whatever its type", async () => {
    await kafka.createTopic("order.paid")
    const kinds = await kindsOf([
      event("order.made", "a", "1"),
      event("order.paid", "a", "2"),
      event("order.paid", "b", "3"),
    ])
    expect(kinds).toEqual(["refused", "retry", "sent"])
    expect((await kafka.read("order.paid")).map(({ key }) => key)).toEqual(["b"])
  })

  test("S18: an event that is refused by its topic is not overtaken by the next of its key in the same batch", async () => {
    await kafka.createTopic("tight.made", { maxMessageBytes: 1_000 })
    await kafka.createTopic("tight.paid")
    const kinds = await kindsOf([
      event("tight.made", "a", "x".repeat(3_000)),
      event("tight.paid", "a", "2"),
      event("tight.made", "b", "1"),
      event("tight.paid", "b", "2"),
    ])
    expect(kinds).toEqual(["refused", "retry", "sent", "sent"])
    expect((await kafka.read("tight.paid")).map(({ key }) => key)).toEqual(["b"])
  })

  test("C-97: jobs of an instance are in order within their types: a topic that is missing holds back no other", async () => {
    await kafka.createTopic("workflow.jobs.pack")
    const producer = new KafkaProducer(kafka.plaintext)
    const records = [record("workflow.jobs.pick", "i-1", "1"), record("workflow.jobs.pack", "i-1", "2")]
    expect((await producer.send(records)).map(({ kind }) => kind)).toEqual(["refused", "written"])
    await producer.close()
  })
})

describe.skipIf(lacksKafka)("the producer of Kafka behind a door (needs Java and Kafka)", () => {
  let kafka: TestKafka
  let door: SeverableProxy

  beforeAll(async () => {
    const first = await createSeverableProxy("kafka://127.0.0.1:1")
    const port = Number(new URL(first.dsn).port)
    await first.close()
    kafka = await startKafka({ advertise: port })
    door = await createSeverableProxy(`kafka://${kafka.plaintext.kafkaSeedBrokers[0]}`, port)
  }, KAFKA_START_MS)
  afterAll(async () => {
    await door?.close()
    await kafka?.stop()
  })

  test("trap 1: a record whose acknowledgement was lost does not swallow the one behind it", async () => {
    await kafka.createTopic("lossy", { partitions: 1 })
    const producer = new KafkaProducer(kafka.plaintext, { deadlineMs: DEADLINE_MS })
    expect(await producer.send([record("lossy", "k", "0")])).toMatchObject([{ kind: "written" }])
    door.deafen(true)
    expect(await producer.send([record("lossy", "k", "1")])).toMatchObject([{ kind: "unknown" }])
    door.deafen(false)
    expect(await producer.send([record("lossy", "k", "2")])).toMatchObject([{ kind: "written", offset: 2n }])
    await producer.close()
    expect((await kafka.read("lossy")).map(({ value }) => value)).toEqual(["0", "1", "2"])
  })

  test("a broker that falls silent leaves an unknown outcome, and what is behind it in the batch is not sent", async () => {
    await kafka.createTopic("silent", { partitions: 1 })
    const producer = new KafkaProducer(kafka.plaintext, { deadlineMs: DEADLINE_MS })
    await producer.send([record("silent", "k", "0")])
    door.silence()
    const verdicts = await producer.send([
      record("silent", "k", "x".repeat(800_000)),
      record("silent", "k", "y".repeat(800_000)),
      record("silent", "other", "z".repeat(800_000)),
    ])
    expect(verdicts.map(({ kind }) => kind)).toEqual(["unknown", "retry", "retry"])
    door.speak()
    await producer.close()
  })
})
