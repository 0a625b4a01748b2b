// Producer and consumers on three brokers of which one is lost: the others go on, and nothing is lost or out of order.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "../../test-support/kafka.ts"
import { startReading } from "./group-consumer.ts"
import { KafkaProducer } from "./producer.ts"

describe.skipIf(lacksKafka)("one of three brokers is lost (needs Java and Kafka)", () => {
  let kafka: TestKafka
  beforeAll(async () => {
    kafka = await startKafka({ nodes: 3 })
  }, KAFKA_START_MS)
  afterAll(() => kafka?.stop())

  test("C-101: what was acknowledged is there once or more, each key in order, and consumers get all of it", async () => {
    const topic = "three"
    await kafka.createTopic(topic, { partitions: 6 })
    const producer = new KafkaProducer(kafka.secured, { deadlineMs: 5_000 })
    const got = new Set<string>()
    const consumer = startReading({
      settings: kafka.secured,
      groupId: "g-three",
      topics: [topic],
      handle: async ({ value }) => void got.add(String(value)),
      log: { warn: () => {} },
    })
    const send = async (from: number) => {
      let left = Array.from({ length: 60 }, (_, at) => from + at)
      while (left.length > 0) {
        const records = left.map((n) => ({ topic, key: `k${n % 12}`, value: Buffer.from(`${n}`), headers: {} }))
        const verdicts = await producer.send(records)
        left = left.filter((_, at) => verdicts[at]?.kind !== "written")
      }
    }
    await send(0)
    await kafka.kill(2)
    await send(60)
    await expect.poll(() => got.size).toBe(120)
    await kafka.restart()
    await send(120)
    await expect.poll(() => got.size).toBe(180)
    await Promise.all([consumer.stop(), producer.close()])
    const found = await kafka.read(topic)
    for (let key = 0; key < 12; key += 1) {
      const values = found.filter((one) => one.key === `k${key}`).map(({ value }) => Number(value))
      expect([...new Set(values)]).toEqual(Array.from({ length: 15 }, (_, at) => key + 12 * at))
    }
  })
})
