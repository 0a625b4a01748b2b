// A message as a member of a group is given it, and how a broker's batches are read.
import type { RecordsBatch } from "@platformatic/kafka"

export interface GroupMessage {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: string | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** In milliseconds since 1970, by the clock of its producer or its broker. */
  readonly writtenAt: number
}

/** Set on a batch that marks the end of a transaction: its records are not for consumers. */
const IS_CONTROL = 0b10_0000

interface Place {
  readonly topic: string
  readonly partition: number
}

/** The messages from an offset on: a broker sends whole batches. */
export function messagesOf(batch: RecordsBatch, { topic, partition }: Place, from: bigint): GroupMessage[] {
  if (batch.attributes & IS_CONTROL) return []
  return batch.records
    .map((record) => ({
      topic,
      partition,
      offset: batch.firstOffset + BigInt(record.offsetDelta),
      key: record.key?.toString() ?? null,
      value: record.value ?? Buffer.alloc(0),
      headers: Object.fromEntries(record.headers.map(([name, text]) => [String(name ?? ""), String(text ?? "")])),
      writtenAt: Number(batch.firstTimestamp + record.timestampDelta),
    }))
    .filter(({ offset }) => offset >= from)
}

export const offsetBehind = (batch: RecordsBatch): bigint => batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n
