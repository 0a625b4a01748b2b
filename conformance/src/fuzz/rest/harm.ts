// Ways to spoil a request: its body, path, query, headers, method and bytes.
import { gzipSync } from "node:zlib"
import type { Dice } from "../values/dice.ts"
import { harmBytes, harmJson, harmText, harmValue } from "../values/mutate.ts"
import { oddJson, oddText } from "../values/odd-values.ts"
import type { Maker } from "../values/schema-values.ts"
import { type Draft, encode, pathOf } from "./draft.ts"

export type Harm = (draft: Draft, maker: Maker) => void

const CONTENT_TYPES = [
  "text/plain",
  "application/xml",
  "application/json; charset=utf-16",
  "application/JSON",
  "",
  "a/b/c",
  "*/*",
]
const MORE_TYPES = [
  "application/json;charset=utf-8",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
]
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]
const PATH_PARTS = ["%", "%zz", "%c0%af", "%2f", "%2e%2e", "%00", "//", "/../", "/./", ";a=b", "#x", "\\", "é", " "]

const paramNames = ({ params }: Draft): string[] => Object.keys(params)

/** A value from another object or of another kind, a changed value, or an odd one. */
function stranger({ dice, memory }: Maker, value: string): string {
  const other = memory.recallAny(dice.next(), dice.next())
  const how = dice.between(0, 3)
  if (how === 0 && other !== undefined) return other
  if (how === 1 && other !== undefined) return harmText(dice, other)
  return how === 2 ? harmText(dice, value) : oddText(dice)
}

const bodyOf = (draft: Draft): string => JSON.stringify(draft.body ?? {}) ?? "{}"

/** Near misses: still a request that an honest program with a fault could send. */
export const SLIPS: readonly Harm[] = [
  (draft, { dice }) => {
    draft.body = harmValue(dice, draft.body ?? {})
  },
  (draft, { dice }) => {
    draft.body = harmValue(dice, harmValue(dice, draft.body ?? {}))
  },
  (draft, maker) => {
    const [name] = paramNames(draft).length > 0 ? [maker.dice.pick(paramNames(draft))] : []
    if (name === undefined) draft.query.push(["pageSize", oddText(maker.dice)])
    else draft.params[name] = stranger(maker, draft.params[name] ?? "")
  },
  (draft, maker) => {
    const names = draft.operation.parameters.filter((one) => one.in === "query").map(({ name }) => name)
    draft.query.push([names.length > 0 ? maker.dice.pick(names) : "unknown", stranger(maker, "x")])
  },
  (draft, maker) => {
    draft.headers["idempotency-key"] = maker.memory.recall("key", maker.dice.next()) ?? "again"
  },
  (draft, { dice }) => {
    draft.headers["content-type"] = dice.pick([...CONTENT_TYPES, ...MORE_TYPES])
  },
  (draft, { dice }) => {
    draft.method = dice.pick(METHODS)
  },
  (draft) => {
    draft.body = undefined
  },
]

const HEADERS: readonly ((dice: Dice) => readonly [string, string])[] = [
  (dice) => ["idempotency-key", oddText(dice)],
  (dice) => ["x-request-id", oddText(dice)],
  (dice) => [
    "traceparent",
    dice.pick(["00-0-0-0", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", oddText(dice)]),
  ],
  (dice) => ["tracestate", oddText(dice)],
  (dice) => ["accept", dice.pick(["text/html", "application/xml", "", "*/*;q=0", oddText(dice)])],
  (dice) => ["accept-encoding", dice.pick(["gzip", "br", "identity;q=0", "*"])],
  (dice) => ["host", dice.pick(["evil.test", "localhost:99999", "", "[::1", "127.0.0.1"])],
  (dice) => ["origin", dice.pick(["https://evil.test", "null", "http://127.0.0.1", oddText(dice)])],
  (dice) => ["cookie", dice.pick(["millrace-session=x", "=;=;", "a=b; millrace-session=%00", oddText(dice)])],
  (dice) => [
    "authorization",
    dice.pick(["Basic YTpi", "Bearer", "Bearer a.b.c", "bearer mill_x", oddText(dice), `Bearer ${"x".repeat(9_000)}`]),
  ],
  (dice) => ["x-forwarded-for", dice.pick(["", "unknown", "1.2.3.4, 5.6.7.8", "::1", "[::1]:80", oddText(dice)])],
  (dice) => ["if-none-match", dice.pick(["*", '"x"', oddText(dice)])],
  (dice) => ["last-event-id", oddText(dice)],
  (dice) => ["expect", dice.pick(["100-continue", "x"])],
  (dice) => ["x-long", "x".repeat(dice.pick([8_000, 20_000]))],
  () => ["connection", "upgrade"],
  () => ["transfer-encoding", "chunked"],
  () => ["range", "bytes=0-1"],
]

/** What only a broken or a hostile program sends. */
export const BLOWS: readonly Harm[] = [
  (draft, { dice }) => {
    draft.bytes = harmBytes(dice, Buffer.from(bodyOf(draft)))
  },
  (draft, { dice }) => {
    draft.bytes = Buffer.from(harmJson(dice, bodyOf(draft)))
  },
  (draft, { dice }) => {
    draft.body = oddJson(dice)
  },
  (draft, { dice }) => {
    draft.bytes = dice.chance(0.1) ? Buffer.alloc(dice.pick([1_048_576, 1_048_577]), 0x20) : Buffer.alloc(0)
  },
  (draft, { dice }) => {
    draft.headers["content-encoding"] = dice.pick(["gzip", "deflate", "br", "x"])
    draft.bytes = dice.chance(0.5) ? gzipSync(bodyOf(draft)) : Buffer.from(bodyOf(draft))
  },
  (draft, { dice }) => {
    const path = pathOf(draft)
    const at = dice.between(1, path.length)
    draft.path = `${path.slice(0, at)}${dice.pick(PATH_PARTS)}${path.slice(at)}`
  },
  (draft, { dice }) => {
    draft.path = dice.pick([
      `${pathOf(draft)}/`,
      `/${encode(oddText(dice))}`,
      pathOf(draft).toUpperCase(),
      "*",
      "/v1/",
      "/v1/instances/",
    ])
  },
  (draft, { dice }) => {
    const [name, value] = dice.pick(HEADERS)(dice)
    draft.headers[name] = value
  },
  (draft, { dice }) => {
    const [name, value] = dice.pick(HEADERS)(dice)
    draft.headers[name] = value
    draft.raw = true
  },
  (draft, { dice }) => {
    const [name = "a"] = draft.query[0] ?? []
    const more = Array.from(
      { length: dice.pick([2, 3, 300]) },
      () => [dice.pick([name, `${name}[]`, `${name}[a]`]), oddText(dice)] as const,
    )
    draft.query.push(...more.map(([key, value]): [string, string] => [key, value]))
  },
]
