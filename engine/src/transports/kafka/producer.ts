// Writes records to Kafka and says of each what became of it. It always answers: a broker that is away or a topic that is not there
// is a verdict, and not a wait without an end.

import { isTopicName } from "../../model/events/topic-name.ts"
import { safeText } from "../../support/redact.ts"
import type { KafkaSettings } from "./client-options.ts"
import { explainFailure } from "./explain-failure.ts"
import { DeadlineError, IdempotentProducer, type Placed } from "./idempotent-producer.ts"
import { KnownTopics } from "./known-topics.ts"
import { loadClient } from "./load-client.ts"
import { type PartitionAnswer, partitionAnswers, placeOf } from "./partition-answers.ts"
import { cutIntoRequests, type KafkaRecord, lineOf, type Verdict } from "./record.ts"

interface ProducerOptions {
  /** How long one request may take before what became of it is unknown. */
  readonly deadlineMs?: number
}

/** A record on its way, with the place of its verdict. */
interface Item extends Placed {
  verdict: Verdict | undefined
}

const DEADLINE_MS = 10_000
const BLOCKED: Verdict = { kind: "retry", reason: "an earlier record of its key was not written" }
const NOT_SENT: Verdict = { kind: "retry", reason: "Kafka did not answer to what was sent before" }

export class KafkaProducer {
  readonly #settings: KafkaSettings
  readonly #deadlineMs: number
  readonly #topics: KnownTopics
  #producer: IdempotentProducer | undefined
  /** Numbers for records without a key, so that they are spread over the partitions. */
  #turn = 0
  /** Calls wait for each other: the numbers of a producer allow one request at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(settings: KafkaSettings, { deadlineMs = DEADLINE_MS }: ProducerOptions = {}) {
    this.#settings = settings
    this.#deadlineMs = deadlineMs
    this.#topics = new KnownTopics(settings)
  }

  /** A verdict for each record, in their order. After one that was not written, none of its line is sent. */
  send(records: readonly KafkaRecord[]): Promise<readonly Verdict[]> {
    const sent = this.#last.then(() => this.#sendAll(records))
    this.#last = sent.catch(() => {})
    return sent
  }

  async close(): Promise<void> {
    await this.#last
    const producer = this.#producer
    this.#producer = undefined
    await producer?.close()
  }

  async #sendAll(records: readonly KafkaRecord[]): Promise<readonly Verdict[]> {
    const { murmur2 } = await loadClient()
    const items = records.map((record): Item => {
      const key = record.key === null ? undefined : Buffer.from(record.key)
      // The same hash as the partitioner of Kafka's own clients, so that a key always goes to the same partition.
      const hash = key === undefined ? this.#turn++ : murmur2(key) & 0x7fffffff
      return { record, key, hash, verdict: undefined }
    })
    await this.#judgeTopics(items)
    const stuck = new StuckLines()
    for (const request of cutIntoRequests(items)) await this.#sendUnlessStuck(request, stuck)
    return items.map(({ verdict }) => verdict ?? NOT_SENT)
  }

  /** A topic that is not there, or no broker to ask: the verdict is known before anything is sent. */
  async #judgeTopics(items: readonly Item[]): Promise<void> {
    for (const item of items)
      if (!isTopicName(item.record.topic))
        item.verdict = refused(`${safeText(item.record.topic)} cannot be the name of a topic`)
    const open = items.filter(({ verdict }) => verdict === undefined)
    try {
      const missing = await this.#topics.missing(new Set(open.map(({ record }) => record.topic)))
      for (const item of open)
        if (missing.has(item.record.topic)) item.verdict = refused(missingTopic(item.record.topic), "no-topic")
    } catch (error) {
      const { message } = explainFailure(error, this.#settings.kafkaSeedBrokers)
      for (const item of open) item.verdict = { kind: "retry", reason: message }
    }
  }

  async #sendUnlessStuck(items: readonly Item[], stuck: StuckLines): Promise<void> {
    const open: Item[] = []
    for (const item of items) {
      if (item.verdict === undefined && stuck.has(item)) item.verdict = BLOCKED
      if (item.verdict === undefined) open.push(item)
      else stuck.note(item)
    }
    if (open.length === 0 || stuck.isSilent) return
    const again = await this.#request(open)
    for (const item of items) stuck.note(item)
    for (const item of again) await this.#sendUnlessStuck([item], stuck)
  }

  /** Gives back what is to be sent one by one: a batch was too large, and not each of its records need be. */
  async #request(items: readonly Item[]): Promise<readonly Item[]> {
    this.#producer ??= await IdempotentProducer.open(this.#settings)
    const producer = this.#producer
    try {
      const offsets = await producer.send(items, this.#deadlineMs)
      countOffsets(items, producer, (place) => offsets.get(place))
      return []
    } catch (error) {
      this.#producer = undefined
      this.#topics.forget()
      producer.giveUp()
      return this.#judgeFailure(items, producer, error)
    }
  }

  #judgeFailure(items: readonly Item[], producer: IdempotentProducer, error: unknown): readonly Item[] {
    const answers = partitionAnswers(error)
    const answerTo = (item: Item) => answers.get(placeOf(item.record.topic, producer.partitionOf(item)))
    const reason =
      error instanceof DeadlineError ? error.message : explainFailure(error, this.#settings.kafkaSeedBrokers).message
    const written = items.filter((item) => answerTo(item)?.kind === "written")
    countOffsets(written, producer, (place) => baseOffsetOf(answers.get(place)))
    const isLarge = (item: Item) => answerTo(item)?.kind === "too-large"
    const again = new Set(items.length > 1 ? items.filter(isLarge) : [])
    for (const item of items)
      if (item.verdict === undefined && !again.has(item)) item.verdict = verdictOf(answerTo(item), reason)
    return [...again]
  }
}

/** Lines of which a record was not written: those behind it must wait. */
class StuckLines {
  readonly #lines = new Set<string>()
  /** What became of a request is unknown: a further one would wait as long in vain. */
  isSilent = false

  has({ record }: Item): boolean {
    const line = lineOf(record)
    return line !== undefined && this.#lines.has(line)
  }

  note({ record, verdict }: Item): void {
    if (verdict?.kind === "unknown") this.isSilent = true
    const line = lineOf(record)
    if (line !== undefined && verdict !== undefined && verdict.kind !== "written") this.#lines.add(line)
  }
}

/** A partition has the records of a request one after the other. */
function countOffsets(
  items: readonly Item[],
  producer: IdempotentProducer,
  baseOf: (place: string) => bigint | undefined,
): void {
  const next = new Map<string, bigint>()
  for (const item of items) {
    const { topic } = item.record
    const partition = producer.partitionOf(item)
    const place = placeOf(topic, partition)
    const offset = next.get(place) ?? baseOf(place) ?? -1n
    next.set(place, offset < 0n ? offset : offset + 1n)
    item.verdict = { kind: "written", topic, partition, offset }
  }
}

const baseOffsetOf = (answer: PartitionAnswer | undefined): bigint | undefined =>
  answer?.kind === "written" ? answer.baseOffset : undefined

function verdictOf(answer: PartitionAnswer | undefined, reason: string): Verdict {
  if (answer?.kind === "too-large") return refused(answer.reason, "too-large")
  if (answer?.kind === "refused") return refused(answer.reason)
  return { kind: "unknown", reason }
}

const refused = (reason: string, fault?: "too-large" | "no-topic"): Verdict => ({
  kind: "refused",
  reason,
  ...(fault === undefined ? {} : { fault }),
})

const missingTopic = (topic: string): string =>
  `the topic ${topic} does not exist: millrace kafka topics ${topic} --create makes it`
