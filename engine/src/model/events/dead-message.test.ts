// What is told of a dead message: all of it where it fits, and else what fits, with a mark and a digest.
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { deadEvent } from "./dead-message.ts"
import type { Message } from "./message.ts"

const LIMITS = { maxWriteBytes: 65_536, maxVariablesBytes: 65_536 }
const message = (more: Partial<Message> = {}): Message => ({
  id: "e-1",
  type: "paid",
  key: "p-1",
  headers: { source: "shop" },
  createdAt: 0,
  content: { payload: { n: 1 } },
  ...more,
})
const told = (given: Message, error = "no money") => {
  const { key, payload } = deadEvent(given, { group: "g", error }, LIMITS)
  return { key, bytes: Buffer.byteLength(payload), payload: JSON.parse(payload) }
}
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

test("a message of usual size is told whole", () => {
  expect(told(message({ at: "paid/0/7" }))).toMatchObject({
    key: "p-1",
    payload: {
      group: "g",
      error: "no money",
      event: {
        id: "e-1",
        type: "paid",
        key: "p-1",
        headers: { source: "shop" },
        createdAt: "1970-01-01T00:00:00.000Z",
        at: "paid/0/7",
      },
      payload: { n: 1 },
    },
  })
  expect(told(message()).payload.event).not.toHaveProperty("headersOmitted")
})

test.each([null, ""])("a message with the key %j has none", (key) => {
  expect(told(message({ key }))).toMatchObject({ key: null, payload: { event: { key: null } } })
})

describe("what is too long", () => {
  const long = "k".repeat(5_000)

  test("of a key the beginning is kept, and a digest: keys that differ stay different", () => {
    const { key, payload } = told(message({ key: `${long}1` }))
    expect(key).toBe(`${"k".repeat(400)}… (cut from 5001 characters, sha256 ${sha256(`${long}1`)})`)
    expect(key?.length).toBeLessThanOrEqual(512)
    expect(payload.event.key).toBe(key)
    expect(told(message({ key: `${long}2` })).key).not.toBe(key)
  })

  test("a cut through a surrogate pair leaves no half of it", () => {
    expect(told(message({ key: `${"k".repeat(399)}${"😀".repeat(100)}` })).key?.isWellFormed()).toBe(true)
  })

  test("of a header the beginning is kept; of many headers those that fit, and a digest of the others", () => {
    const headers = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`h${n}`, long]))
    const { bytes, payload } = told(message({ headers }))
    const { headers: kept, headersOmitted } = payload.event
    expect(kept.h0).toContain(`sha256 ${sha256(long)}`)
    const count = Object.keys(kept).length
    expect(count).toBeGreaterThan(5)
    const left = JSON.stringify(Object.entries(headers).slice(count))
    expect(headersOmitted).toEqual({ count: 1_000 - count, sha256: sha256(left) })
    expect(bytes).toBeLessThan(10_000)
  })

  test("of a value the size and a digest are told", () => {
    const content = { payload: { text: "x".repeat(100_000) } }
    const { payload } = told(message({ content }))
    const text = JSON.stringify(content)
    expect(payload.omitted).toEqual({ bytes: text.length, sha256: sha256(text) })
    expect(payload).not.toHaveProperty("payload")
  })

  test("all of it together fits into one event", () => {
    const content = { value: "x".repeat(2_000_000), fault: "the value is no JSON object" }
    const headers = { [long]: "\u0001".repeat(1_000_000) }
    const given = message({ key: long, headers, content })
    expect(told(given, "\u0001".repeat(1_000_000)).bytes).toBeLessThan(LIMITS.maxWriteBytes)
  })
})
