// A message as consumers take it: by which id it is known, which lane it is in, and what it says or why that cannot be read.
import { hasControlCharacter } from "../../support/control-characters.ts"
import { badRequest } from "../../support/errors.ts"
import { isObject, type JsonObject } from "../../support/json.ts"
import { parseJson, variableLimits } from "../../support/json-scan.ts"
import { uuidV5 } from "../../support/uuid-v5.ts"

/** A record as it is stored in a topic. */
export interface TopicRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: string | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** Epoch milliseconds, as its publisher set them. */
  readonly writtenAt: number
}

export interface Message {
  /** The same however often it is delivered or published again: consumers deduplicate by it. */
  readonly id: string
  readonly type: string
  readonly key: string | null
  readonly headers: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** `topic/partition/offset`, where it was read from a topic. */
  readonly at?: string
  readonly content: MessageContent
}

/** The value in base64 where it could not be read. */
export type MessageContent = { readonly payload: JsonObject } | { readonly value: string; readonly fault: string }

const LONGEST = 512

const isStorable = (text: string): boolean => text.length > 0 && text.length <= LONGEST && !hasControlCharacter(text)

/** PostgreSQL has no place for this one character: a message must not be held up by it. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD")

/** No other record has it; the same record has it at every delivery. */
export const placeId = ({ topic, partition, offset }: Pick<TopicRecord, "topic" | "partition" | "offset">): string =>
  uuidV5(`${topic}:${partition}:${offset}`)

/** By the publisher's own id, which stays the same over every repeat; by its place only where it has none. */
export function messageId(record: Omit<TopicRecord, "value" | "key">): string {
  const given = record.headers["event-id"]
  return given !== undefined && isStorable(given) ? given : placeId(record)
}

export function readRecord(record: TopicRecord, type: string): Message {
  const { topic, partition, offset, value, writtenAt } = record
  const at = `${topic}/${partition}/${offset}`
  const key = record.key === null ? null : storable(record.key)
  const headers = Object.fromEntries(Object.entries(record.headers).map((pair) => pair.map(storable)))
  return { id: messageId(record), type, key, headers, createdAt: writtenAt, at, content: readValue(value) }
}

/** A JSON object in UTF-8, within the limits that every other door has. */
export function readValue(value: Buffer): MessageContent {
  try {
    const payload = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(value), variableLimits)
    if (!isObject(payload)) throw badRequest("the value is no JSON object")
    return { payload }
  } catch (error) {
    return { value: value.toString("base64"), fault: (error as Error).message }
  }
}

/** Messages of one key are handled one after the other; one without a key has a lane to itself. */
export function laneOf({ id, key }: Pick<Message, "id" | "key">): string {
  if (key === null || key === "") return `id:${id}`
  return isStorable(key) ? `key:${key}` : `hash:${uuidV5(key)}`
}
