// A record as it goes to Kafka, and how many of them go in one request.

export interface KafkaRecord {
  readonly topic: string
  /** Records of one key are in one partition, in order. */
  readonly key: string | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** Records of one line are written in their order, also where they go to different topics. The key within its topic, unless it is said. */
  readonly line?: string | null
}

/** Undefined for a record that is in no order. */
export const lineOf = ({ line, topic, key }: KafkaRecord): string | undefined =>
  line === undefined ? (key === null ? undefined : `${topic}:${key}`) : (line ?? undefined)

/** written: acknowledged by all replicas in step. refused: it will never be taken. retry: it was not sent. unknown: it may be there. */
export type Verdict =
  | { readonly kind: "written"; readonly topic: string; readonly partition: number; readonly offset: bigint }
  | { readonly kind: "refused"; readonly reason: string; readonly fault?: "too-large" | "no-topic" }
  | { readonly kind: "retry" | "unknown"; readonly reason: string }

/** The default limit of a broker for a batch is 1 MiB; a record has some bytes around it. */
const MOST_BYTES = 900_000
const AROUND_RECORD = 100

interface Item {
  readonly record: KafkaRecord
}

/**
 * In the order of their lines. Of one request a topic may take its part and another not: where a line goes on in another topic, it goes on
 * in a later request.
 */
export function cutIntoRequests<T extends Item>(items: readonly T[]): T[][] {
  const rounds: T[][] = []
  const last = new Map<string, { readonly topic: string; readonly round: number }>()
  for (const item of items) {
    const [{ topic }, line] = [item.record, lineOf(item.record)]
    const before = line === undefined ? undefined : last.get(line)
    const round = before ? before.round + (before.topic === topic ? 0 : 1) : 0
    if (line !== undefined) last.set(line, { topic, round })
    rounds[round] ??= []
    rounds[round].push(item)
  }
  return rounds.flatMap(cutBySize)
}

/** A record that is too large for any request is one of its own, so that it fails alone. */
function cutBySize<T extends Item>(items: readonly T[]): T[][] {
  const requests: T[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const item of items) {
    const size = sizeOf(item.record)
    if (bytes + size > MOST_BYTES) {
      requests.push([])
      bytes = 0
    }
    requests.at(-1)?.push(item)
    bytes += size
  }
  return requests
}

function sizeOf({ key, value, headers }: KafkaRecord): number {
  let bytes = AROUND_RECORD + value.length + (key?.length ?? 0)
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0)
  return bytes
}
