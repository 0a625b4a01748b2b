// Messages as consumers take them: their ids, their lanes, and what cannot be read.
import { describe, expect, test } from "vitest"
import { uuidV5 } from "../../support/uuid-v5.ts"
import { laneOf, readRecord, readValue, type TopicRecord } from "./message.ts"

const record = (given: Partial<TopicRecord> = {}): TopicRecord => ({
  topic: "t",
  partition: 3,
  offset: 42n,
  key: "k",
  value: Buffer.from('{"n":1}'),
  headers: {},
  writtenAt: 1_000,
  ...given,
})

test("a record is the message that was published", () => {
  expect(readRecord(record({ headers: { "event-id": "e-1", trace: "x" } }), "paid")).toEqual({
    id: "e-1",
    type: "paid",
    key: "k",
    headers: { "event-id": "e-1", trace: "x" },
    createdAt: 1_000,
    at: "t/3/42",
    content: { payload: { n: 1 } },
  })
})

test("a character that PostgreSQL cannot store is replaced in its key and headers", () => {
  const odd = readRecord(record({ key: "a\0b", headers: { "h\0": "x\0" } }), "paid")
  expect(odd).toMatchObject({ key: "a\uFFFDb", headers: { "h\uFFFD": "x\uFFFD" } })
  expect(readRecord(record({ key: null }), "paid").key).toBeNull()
})

describe("its id", () => {
  test.each([
    ["none", {}],
    ["an empty one", { "event-id": "" }],
    ["one that is too long", { "event-id": "x".repeat(513) }],
    ["one that cannot be stored", { "event-id": "a\0b" }],
  ])("F-15: with %s in its header a record is known by its place", (_, headers) => {
    expect(readRecord(record({ headers }), "paid").id).toBe(uuidV5("t:3:42"))
  })
})

describe("what cannot be read", () => {
  test.each([
    ["is no JSON", Buffer.from("{"), /not JSON/],
    ["is no object", Buffer.from("[1]"), /no JSON object/],
    ["is not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), /not valid|invalid/],
    ["is empty", Buffer.alloc(0), /empty/],
  ])("F-T10: a value that %s is kept with the reason", (_, value, reason) => {
    expect(readValue(value)).toEqual({ value: value.toString("base64"), fault: expect.stringMatching(reason) })
  })
})

describe("its lane", () => {
  test.each([
    ["is that of its key", "k", "key:k"],
    ["is its own without a key", null, "id:e"],
    ["is its own with an empty key", "", "id:e"],
    ["is that of the hash of a key that cannot be stored", "a\0b", `hash:${uuidV5("a\0b")}`],
  ])("%s", (_, key, lane) => {
    expect(laneOf({ id: "e", key })).toBe(lane)
  })
})
