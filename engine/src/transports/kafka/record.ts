// A record as it goes to Kafka, and how many of them go in one request.

export interface KafkaRecord {
  readonly topic: string
  /** Records of one key are in one partition, in order. */
  readonly key: string | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** written: acknowledged by all replicas in step. refused: it will never be taken. retry: it was not sent. unknown: it may be there. */
export type Verdict =
  | { readonly kind: "written"; readonly topic: string; readonly partition: number; readonly offset: bigint }
  | { readonly kind: "refused"; readonly reason: string; readonly fault?: "too-large" | "no-topic" }
  | { readonly kind: "retry" | "unknown"; readonly reason: string }

/** A broker takes 1 MiB in a batch unless it is told otherwise; a record has some bytes around it. */
const MOST_BYTES = 900_000
const AROUND_RECORD = 100

/** In their order; a record that is too large for any request is one of its own, so that it fails alone. */
export function cutIntoRequests<T extends { readonly record: KafkaRecord }>(items: readonly T[]): T[][] {
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
