// One life of the client's idempotent producer. It numbers what it writes to a partition, and counts on after an answer without an error
// only: after a failure its next record could have the number of one that was written, which the broker would acknowledge and drop.
// So it has one request under way at a time, and is given up after the first failure; the next producer is another one to the broker.
import type { Producer } from "@platformatic/kafka"
import { clientOptions, type KafkaSettings } from "./client-options.ts"
import { closeWithin } from "./close-within.ts"
import { loadClient } from "./load-client.ts"
import { placeOf } from "./partition-answers.ts"
import type { KafkaRecord } from "./record.ts"

/** A record, and a number that stands for its partition however many there are. */
export interface Placed {
  readonly record: KafkaRecord
  readonly key: Buffer | undefined
  readonly hash: number
}

/** No answer came in time: what was sent may have been written or not. */
export class DeadlineError extends Error {}

const RETRY_DELAY_MS = 200

export class IdempotentProducer {
  readonly #client: Producer

  private constructor(client: Producer) {
    this.#client = client
  }

  /** How often it tries again is left to the client, which does not stop: a bounded number would lose records. */
  static async open(settings: KafkaSettings): Promise<IdempotentProducer> {
    const { Producer } = await loadClient()
    return new IdempotentProducer(
      new Producer({ ...clientOptions(settings), idempotent: true, retryDelay: RETRY_DELAY_MS }),
    )
  }

  /** The first offset in each partition, by place. Rejects with a DeadlineError, or with what the client rejects with. */
  async send(records: readonly Placed[], deadlineMs: number): Promise<ReadonlyMap<string, bigint>> {
    const sending = this.#client.send({ messages: records.map(messageOf) })
    const { offsets = [] } = await withDeadline(sending, deadlineMs)
    return new Map(offsets.map(({ topic, partition, offset }) => [placeOf(topic, partition), offset]))
  }

  /** The partition by the client's current number of partitions, which it used when it sent. */
  partitionOf({ record, hash }: Placed): number {
    return hash % (this.#client.currentMetadata?.topics.get(record.topic)?.partitionsCount ?? 1)
  }

  /** What is under way is not waited for: it ends with an error that is not looked at. */
  giveUp(): void {
    this.#client.close(true, () => {})
  }

  close(): Promise<void> {
    return closeWithin((done) => this.#client.close(true, done))
  }
}

function messageOf({ record: { topic, value, headers }, key, hash }: Placed) {
  const bytes = new Map<Buffer, Buffer>()
  for (const name in headers) bytes.set(nameBytes(name), Buffer.from(headers[name] ?? ""))
  return { topic, partition: hash, value, headers: bytes, ...(key && { key }) }
}

/** Names of headers come again and again. */
const names = new Map<string, Buffer>()
const MOST_NAMES = 100

function nameBytes(name: string): Buffer {
  const bytes = names.get(name) ?? Buffer.from(name)
  if (names.size < MOST_NAMES) names.set(name, bytes)
  return bytes
}

async function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`Kafka did not answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
