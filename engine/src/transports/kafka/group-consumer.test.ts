// Consumers of a real Kafka: nothing is left out when brokers die, members come and go, and handlers fail.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "../../test-support/kafka.ts"
import { gate } from "../../test-support/mills.ts"
import { type GroupConsumer, type GroupMessage, type HandleMessage, startReading } from "./group-consumer.ts"
import { KafkaProducer } from "./producer.ts"

describe.skipIf(lacksKafka)("consumers of Kafka (needs Java and Kafka)", () => {
  let kafka: TestKafka
  let producer: KafkaProducer
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    kafka = await startKafka()
    producer = new KafkaProducer(kafka.plaintext)
  }, KAFKA_START_MS)
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })
  afterAll(async () => {
    await producer?.close().catch(() => {})
    await kafka?.stop()
  })

  const log = { warn: () => {} }
  function consume(topic: string, handle: HandleMessage, groupId = `g-${topic}`): GroupConsumer {
    const consumer = startReading({ settings: kafka.plaintext, groupId, topics: [topic], handle, log })
    stops.push(() => consumer.stop())
    return consumer
  }

  /** Until all of them are written. */
  async function produce(topic: string, values: readonly string[]): Promise<void> {
    let left = values
    while (left.length > 0) {
      const records = left.map((value) => ({ topic, key: `k${value}`, value: Buffer.from(value), headers: { h: "1" } }))
      const verdicts = await producer.send(records)
      left = left.filter((_, at) => verdicts[at]?.kind !== "written")
    }
  }
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => String(from + at))
  const collect = () => {
    const got: GroupMessage[] = []
    return {
      got,
      values: () => got.map(({ value }) => String(value)),
      handle: async (one: GroupMessage) => void got.push(one),
    }
  }

  test("from the first record on, each partition in order, with key and headers", async () => {
    await kafka.createTopic("first", { partitions: 3 })
    await produce("first", numbers(0, 50))
    const { got, handle } = collect()
    consume("first", handle)
    await expect.poll(() => got.length).toBe(50)
    expect(got[0]).toMatchObject({ topic: "first", key: `k${got[0]?.value}`, headers: { h: "1" } })
    for (const partition of [0, 1, 2]) {
      const offsets = got.filter((one) => one.partition === partition).map(({ offset }) => Number(offset))
      expect(offsets).toEqual(offsets.map((_, at) => at))
    }
  })

  test("trap 5: what was handled is not delivered again to the next of its group", async () => {
    await kafka.createTopic("again", { partitions: 2 })
    await produce("again", numbers(0, 20))
    const one = collect()
    const consumer = consume("again", one.handle)
    await expect.poll(() => one.got.length).toBe(20)
    await consumer.stop()
    await produce("again", numbers(20, 25))
    const other = collect()
    consume("again", other.handle)
    await expect.poll(() => other.got.length).toBe(5)
    expect(other.values().toSorted()).toEqual(["20", "21", "22", "23", "24"])
  })

  test("trap 4: after a broker was killed and restarted it goes on", async () => {
    await kafka.createTopic("outage", { partitions: 2 })
    await produce("outage", numbers(0, 10))
    const { got, values, handle } = collect()
    consume("outage", handle)
    await expect.poll(() => got.length).toBe(10)
    await kafka.kill()
    await kafka.restart()
    await produce("outage", numbers(10, 30))
    await expect.poll(() => new Set(values()).size).toBe(30)
  })

  test("a message whose handler fails is delivered again, and none behind it overtakes", async () => {
    await kafka.createTopic("failing", { partitions: 1 })
    await produce("failing", numbers(0, 10))
    const { values, handle } = collect()
    let failures = 2
    consume("failing", async (message) => {
      if (String(message.value) === "4" && failures > 0) {
        failures -= 1
        throw new Error("not yet")
      }
      await handle(message)
    })
    await expect.poll(() => values().at(-1)).toBe("9")
    expect([...new Set(values())]).toEqual(numbers(0, 10))
  })

  test("a member that comes takes partitions over: running handlers are told, and nothing is left out", async () => {
    await kafka.createTopic("shared", { partitions: 4 })
    await produce("shared", numbers(0, 40))
    const handled = new Set<string>()
    let [stuck, told] = [0, 0]
    consume("shared", async ({ value }, signal) => {
      if (told === 0) {
        stuck += 1
        await new Promise((resolve) => signal.addEventListener("abort", resolve))
        told += 1
        throw new Error("taken away")
      }
      handled.add(String(value))
    })
    await expect.poll(() => stuck).toBe(4)
    const late = collect()
    consume("shared", async (message) => {
      handled.add(String(message.value))
      await late.handle(message)
    })
    await expect.poll(() => told).toBe(4)
    await produce("shared", numbers(40, 80))
    await expect.poll(() => handled.size).toBe(80)
    expect(late.got.length).toBeGreaterThan(0)
  })

  test("F59: partitions go to a member that comes when handlers have ended, and what they did is not delivered again", async () => {
    await kafka.createTopic("handed", { partitions: 4 })
    await produce("handed", numbers(0, 40))
    const [handled, firsts] = [new Set<string>(), new Set<string>()]
    const leave = gate()
    let [begun, told] = [0, 0]
    consume("handed", async ({ value }, signal) => {
      if (begun < 4) firsts.add(String(value))
      begun += 1
      signal.addEventListener("abort", () => {
        told += 1
      })
      await leave.passed
      handled.add(String(value))
    })
    await expect.poll(() => begun).toBe(4)
    const late = collect()
    consume("handed", async (message) => {
      handled.add(String(message.value))
      await late.handle(message)
    })
    await expect.poll(() => told).toBe(4)
    expect(late.values()).toEqual([])
    leave.open()
    await expect.poll(() => handled.size).toBe(40)
    expect(late.values().length).toBeGreaterThan(0)
    expect(late.values().filter((value) => firsts.has(value))).toEqual([])
  })

  test("members of one group may read different topics", async () => {
    for (const topic of ["red", "blue"]) {
      await kafka.createTopic(topic, { partitions: 3 })
      await produce(topic, numbers(0, 9))
    }
    const [red, blue] = [collect(), collect()]
    consume("red", red.handle, "colours")
    consume("blue", blue.handle, "colours")
    const seen = ({ values }: typeof red) => new Set(values()).size
    await expect.poll(() => [seen(red), seen(blue)]).toEqual([9, 9])
    expect(new Set(red.got.map(({ topic }) => topic))).toEqual(new Set(["red"]))
  })
})
