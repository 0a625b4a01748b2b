// What is read from a real Kafka into a real PostgreSQL: whatever dies or is repeated, each event and each submission counts once.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { RetryableError, type Step, workflow } from "./index.ts"
import { readFromKafka } from "./kafka-intake.ts"
import type { StepTx } from "./library/authoring/step-types.ts"
import type { ConsumeHandler } from "./library/running/consume/consumption.ts"
import type { Mill } from "./library/running/mill.ts"
import { EVERYTHING } from "./model/people/reach.ts"
import { replayDeadLetter } from "./operations/dead-letters/replay-dead-letter.ts"
import { type TopicReading, topicsOf } from "./operations/events/consume/topics.ts"
import { KAFKA_START_MS, lacksKafka, startKafka, type TestKafka } from "./test-support/kafka.ts"
import { gate, type Mills, openMills } from "./test-support/mills.ts"
import { KafkaProducer } from "./transports/kafka/producer.ts"
import { kafkaTopics } from "./transports/kafka/topic-source.ts"

describe.skipIf(lacksKafka)("consuming once from Kafka (needs Java and Kafka)", () => {
  let kafka: TestKafka
  let mills: Mills
  let producer: KafkaProducer
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    ;[kafka, mills] = await Promise.all([startKafka(), openMills()])
    topicsOf(mills.kernel).provide(kafkaTopics(kafka.plaintext))
    producer = new KafkaProducer(kafka.plaintext)
    await mills.tables.script("create table counted (topic text, n integer, attempt integer)")
  }, KAFKA_START_MS)
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })
  afterAll(async () => {
    await producer?.close().catch(() => {})
    await mills?.close()
    await kafka?.stop()
  })

  interface Sent {
    readonly n: number
    readonly key?: string
    readonly id?: string
    readonly text?: string
  }

  /** Until all of them are written. */
  async function send(topic: string, messages: readonly Sent[]): Promise<void> {
    let left = messages
    while (left.length > 0) {
      const records = left.map(({ n, key = `k${n}`, id, text = JSON.stringify({ n }) }) => ({
        topic,
        key,
        value: Buffer.from(text),
        headers: id === undefined ? {} : { "event-id": id },
      }))
      const verdicts = await producer.send(records)
      left = left.filter((_, at) => verdicts[at]?.kind !== "written")
    }
  }

  async function sendOne(record: Parameters<KafkaProducer["send"]>[0][number]): Promise<void> {
    for (let isWritten = false; !isWritten; ) isWritten = (await producer.send([record]))[0]?.kind === "written"
  }

  const counting: ConsumeHandler<StepTx> = async ({ event, tx }) => {
    const values = [event.type, event.payload.n, event.attempt]
    await tx.query("insert into counted (topic, n, attempt) values ($1, $2, $3)", values)
  }
  async function consume(mill: Mill, topic: string, handler: ConsumeHandler<StepTx> = counting) {
    const subscription = await mill.consume(topic, { group: "g" }, handler)
    stops.push(() => subscription.stop())
    return subscription
  }
  const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => ({ n: from + at }))
  type Handle = TopicReading["handle"]
  /** One more process, whose deliveries a test may look at. */
  async function another(around: (handle: Handle) => Handle = (handle) => handle) {
    const { mill, core } = await mills.another()
    const source = kafkaTopics(kafka.plaintext)
    const open = (reading: TopicReading) => source.open({ ...reading, handle: around(reading.handle) })
    topicsOf(core.kernel).provide({ ...source, open })
    return { mill }
  }
  const counted = async (topic: string): Promise<unknown[]> =>
    (await mills.tables.script(`select n from counted where topic = '${topic}' order by n`)).map(({ n }) => n)

  test("F-15, F-T9: a record without an id is known by its place, and one with an id by that", async () => {
    await kafka.createTopic("places", { partitions: 2 })
    await send("places", [{ n: 1 }, { n: 2, id: "two" }])
    await consume(mills.mill, "places")
    await expect.poll(() => counted("places")).toEqual([1, 2])
    expect(
      await mills.tables.script("select event_id from millrace.processed_events order by length(event_id)"),
    ).toEqual([
      { event_id: "two" },
      { event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) },
    ])
  })

  test("F-X1: an event that was published again has another offset and the same id, and counts once", async () => {
    await kafka.createTopic("again")
    await send("again", [
      { n: 1, id: "a" },
      { n: 1, id: "a" },
      { n: 2, id: "b" },
    ])
    await consume(mills.mill, "again")
    await expect.poll(() => counted("again")).toEqual([1, 2])
  })

  test("F59, S19: killed between the commit and the offset, it is delivered again and counts once", async () => {
    await kafka.createTopic("killed")
    await send("killed", [{ n: 1 }, { n: 2 }])
    const deliveries: bigint[] = []
    const { mill } = await another((handle) => async (record, signal) => {
      await handle(record, signal)
      deliveries.push(record.offset)
      if (deliveries.length === 1) throw new Error("killed before the offset was committed")
    })
    await consume(mill, "killed")
    await expect.poll(() => counted("killed")).toEqual([1, 2])
    await expect.poll(() => deliveries.filter((offset) => offset === deliveries[0]).length).toBeGreaterThan(1)
    expect(await counted("killed")).toEqual([1, 2])
  })

  test("F59: a rebalance in the middle of handlers: they are told, and each event counts once", async () => {
    await kafka.createTopic("moving", { partitions: 4 })
    await send("moving", numbered(0, 8))
    const leave = gate()
    let [entered, told] = [0, 0]
    await consume(mills.mill, "moving", async (call) => {
      await counting(call)
      entered += 1
      call.signal.addEventListener("abort", () => {
        told += 1
      })
      await leave.passed
    })
    await expect.poll(() => entered).toBeGreaterThan(1)
    const { mill } = await another()
    await consume(mill, "moving")
    await expect.poll(() => told).toBeGreaterThan(0)
    leave.open()
    await send("moving", numbered(8, 16))
    await expect.poll(() => counted("moving")).toEqual(numbered(0, 16).map(({ n }) => n))
  })

  test("trap 4, F-T9: after a broker was killed and restarted it goes on, and counts each once", async () => {
    await kafka.createTopic("outage", { partitions: 2 })
    await send("outage", numbered(0, 5))
    await consume(mills.mill, "outage")
    await expect.poll(() => counted("outage")).toHaveLength(5)
    await kafka.kill()
    await kafka.restart()
    await send("outage", numbered(5, 10))
    await expect.poll(() => counted("outage")).toEqual(numbered(0, 10).map(({ n }) => n))
  })

  test("F-T10, F-X3: a failed message and one that cannot be read do not hold up the others; its key keeps its order", async () => {
    await kafka.createTopic("failing")
    const order: unknown[] = []
    let fails = true
    await send("failing", [
      { n: 1, key: "a" },
      { n: 0, key: "a", text: "{", id: "odd" },
      { n: 2, key: "a" },
      { n: 3, key: "b" },
    ])
    await consume(mills.mill, "failing", async (call) => {
      if (fails && call.event.payload.n === 1) throw new Error("not now")
      await counting(call)
      order.push(call.event.payload.n)
    })
    await expect.poll(() => counted("failing")).toEqual([3])
    const letters = () => mills.tables.script("select error, payload from millrace.dead_letters")
    await expect.poll(letters).toMatchObject([{ error: expect.stringContaining("the message cannot be read") }])
    fails = false
    await mills.advanceClock(2_001)
    await expect.poll(() => counted("failing")).toEqual([1, 2, 3])
    expect(order).toEqual([3, 1, 2])
  })

  test("F-15: a topic that keeps messages for longer than marks are kept is refused", async () => {
    await kafka.createTopic("long", { retentionMs: 31 * 24 * 3_600_000 })
    await expect(mills.mill.consume("long", { group: "l" }, counting)).rejects.toThrow(
      /retention.ms.*WE_PROCESSED_RETAIN/s,
    )
  })

  test("consumers of one group may be of different types, in one process and in several", async () => {
    const { mill } = await another()
    for (const topic of ["one", "two", "three"]) {
      await kafka.createTopic(topic, { partitions: 2 })
      await send(topic, numbered(0, 6))
    }
    await consume(mills.mill, "one")
    await consume(mills.mill, "two")
    await consume(mill, "three")
    for (const topic of ["one", "two", "three"])
      await expect.poll(() => counted(topic)).toEqual(numbered(0, 6).map(({ n }) => n))
  })

  describe("by a server", () => {
    const blocked = workflow("onboarding", {
      steps: [
        function ask({ attempt }: Step) {
          if (attempt === 1) throw new RetryableError("not yet", { baseDelay: "PT1H" })
        },
      ],
    })
    const submit = (key: string, text: string, headers: Record<string, string> = {}) =>
      sendOne({ topic: "workflow.intake.onboarding", key, value: Buffer.from(text), headers })
    const keys = async () =>
      (await mills.tables.script("select key from millrace.intake_keys order by key")).map(({ key }) => key)
    const letters = () =>
      mills.tables.script(`select d.id, d.error from millrace.dead_letters d join millrace.queues q on q.id = d.queue_id
        where q.job_type = 'consume:millrace.intake:onboarding' order by d.id`)

    beforeAll(async () => {
      await mills.mill.intake(blocked, {}, { key: "first" })
      for (const topic of ["workflow.intake.onboarding", "wakeups"]) await kafka.createTopic(topic, { partitions: 2 })
    })
    beforeEach(() => {
      const settings = { intakeDefinitions: ["onboarding"], intakeGroup: "millrace", wakeupTopic: "wakeups" }
      stops.push(readFromKafka({ ...kafka.plaintext, ...settings }, mills.kernel))
    })

    test("A-03: each submission is taken in once, by the key of its header or of its record", async () => {
      for (const key of ["a", "b", "a"]) await submit(key, '{"email":"ada@example.org"}')
      await submit("a", "{}", { "idempotency-key": "c" })
      await expect.poll(keys).toEqual(["a", "b", "c", "first"])
    })

    test("A-03: one that cannot be read is a dead letter with its reason, and does not hold up the others", async () => {
      await submit("broken", "{")
      await submit("d", "{}")
      await expect.poll(keys).toContain("d")
      await expect.poll(letters).toMatchObject([{ error: expect.stringContaining("the message cannot be read") }])
      expect(await keys()).not.toContain("broken")
    })

    test("A-03: one that the engine refuses is a dead letter, and so it is after a replay", async () => {
      const before = (await letters()).length
      await submit("large", JSON.stringify({ texts: Array(30).fill("x".repeat(10_000)) }))
      await expect.poll(async () => (await letters()).length).toBe(before + 1)
      const letter = (await letters()).at(-1)
      await replayDeadLetter(mills.kernel, { id: String(letter?.id), actor: "me", reach: EVERYTHING })
      await expect.poll(async () => (await letters()).length).toBe(before + 1)
      await expect.poll(async () => (await letters()).at(-1)?.id).not.toBe(letter?.id)
      expect(await keys()).not.toContain("large")
    })

    test("A-03: two messages under one key that are refused are two dead letters, and a third that is right is taken in", async () => {
      const before = (await letters()).length
      const large = (fill: string) => JSON.stringify({ texts: Array(30).fill(fill.repeat(10_000)) })
      await submit("twice", large("x"))
      await submit("twice", large("y"))
      await submit("twice", "{")
      await expect.poll(async () => (await letters()).length).toBe(before + 3)
      await submit("twice", "{}")
      await expect.poll(keys).toContain("twice")
    })

    test("A-35: a message with a linking id wakes what waits for it; one that says nothing is passed over", async () => {
      const { id } = await mills.mill.start(blocked, {}, { linkingId: "order-7" })
      await mills.mill.drain([blocked])
      await sendOne({ topic: "wakeups", key: "k", value: Buffer.from("nonsense"), headers: {} })
      await sendOne({ topic: "wakeups", key: "k", value: Buffer.from('{"linkingId":"order-7"}'), headers: {} })
      const worker = await mills.mill.work([blocked])
      await expect.poll(() => mills.mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
      await worker.stop()
    })
  })
})
