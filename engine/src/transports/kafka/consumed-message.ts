// A record as a consumer of Kafka is given it.
import type { RecordsBatch } from "@platformatic/kafka"
import type { TopicRecord } from "../../model/events/message.ts"

export type ConsumedMessage = TopicRecord

interface Place {
  readonly topic: string
  readonly partition: number
}

/** Set on a batch that marks the end of a transaction: its records are not for consumers. */
const IS_CONTROL = 0b10_0000

/** The records of a batch that are at an offset or behind it: a broker gives whole batches. */
export function messagesOf(batch: RecordsBatch, { topic, partition }: Place, from: bigint): ConsumedMessage[] {
  if (batch.attributes & IS_CONTROL) return []
  return batch.records
    .map((record) => ({
      topic,
      partition,
      offset: batch.firstOffset + BigInt(record.offsetDelta),
      key: record.key?.toString() ?? null,
      value: record.value ?? Buffer.alloc(0),
      writtenAt: Number(batch.firstTimestamp + record.timestampDelta),
      headers: Object.fromEntries(record.headers.map(([name, text]) => [String(name ?? ""), String(text ?? "")])),
    }))
    .filter(({ offset }) => offset >= from)
}

export const offsetBehind = (batch: RecordsBatch): bigint => batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n
