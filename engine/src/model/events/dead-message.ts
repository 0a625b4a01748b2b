// What is published about a message that no attempt could handle. Its topic may take larger keys, headers and values than an event may
// have: what is too long is cut or left out, with a mark and a digest, so that the event can always be written.
import { createHash } from "node:crypto"
import type { JsonObject } from "../../support/json.ts"
import type { SizeLimits } from "../instances/variable-sizes.ts"
import { textBytes } from "../instances/variable-sizes.ts"
import type { Message } from "./message.ts"

/** The longest key that an event may have. */
const LONGEST = 512
const LONGEST_ERROR = 4_000
/** What the mark of a cut takes at most. */
const MARK = 112
/** The limit for all headers of an event together. */
const HEADER_BYTES = 8_192

export interface DeadEvent {
  readonly key: string | null
  /** JSON. */
  readonly payload: string
}

interface Death {
  readonly group: string
  readonly error: string
}

/** The value is in it where it fits; the dead letter has all of the message. */
export function deadEvent(message: Message, { group, error }: Death, { maxWriteBytes }: SizeLimits): DeadEvent {
  const key = message.key === null || message.key === "" ? null : shorten(message.key)
  const told = { group, error: shorten(error, LONGEST_ERROR), event: tell(message, key) }
  const whole = JSON.stringify({ ...told, ...message.content })
  if (textBytes(whole) <= maxWriteBytes) return { key, payload: whole }
  const content = JSON.stringify(message.content)
  const omitted = { bytes: Buffer.byteLength(content), sha256: digestOf(content) }
  return { key, payload: JSON.stringify({ ...told, omitted }) }
}

const tell = ({ id, type, headers, createdAt, at }: Message, key: string | null): JsonObject => ({
  id,
  type,
  key,
  ...tellHeaders(headers),
  createdAt: new Date(createdAt).toISOString(),
  ...(at === undefined ? {} : { at }),
})

/** In their order, until there is no room for more. */
function tellHeaders(headers: Message["headers"]): JsonObject {
  const all = Object.entries(headers)
  const told: [string, string][] = []
  let bytes = 0
  for (const [name, text] of all) {
    const short: [string, string] = [shorten(name), shorten(text)]
    bytes += Buffer.byteLength(JSON.stringify(short))
    if (bytes > HEADER_BYTES) break
    told.push(short)
  }
  const left = all.slice(told.length)
  const omitted = { count: left.length, sha256: digestOf(JSON.stringify(left)) }
  return { headers: Object.fromEntries(told), ...(left.length === 0 ? {} : { headersOmitted: omitted }) }
}

/** Texts that differ stay different: the mark has a digest of all of it. */
function shorten(text: string, longest = LONGEST): string {
  if (text.length <= longest) return text
  // The cut may have halved a surrogate pair, and PostgreSQL takes no half.
  return `${text.slice(0, longest - MARK).toWellFormed()}… (cut from ${text.length} characters, sha256 ${digestOf(text)})`
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")
