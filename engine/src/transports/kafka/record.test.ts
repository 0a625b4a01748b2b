// How records are put into requests: in the order of their lines, and never so that a part of a request could overtake another.
import { expect, test } from "vitest"
import { cutIntoRequests, type KafkaRecord, lineOf } from "./record.ts"

const item = (topic: string, key: string | null, bytes: number, line?: string | null) => {
  const record: KafkaRecord = { topic, key, value: Buffer.alloc(bytes), headers: { a: "b" } }
  return { name: `${topic}:${key}`, record: line === undefined ? record : { ...record, line } }
}
const cut = (...items: ReturnType<typeof item>[]) => cutIntoRequests(items).map((of) => of.map(({ name }) => name))

test("a record is in the line that is said, else in that of its key within its topic, or in none", () => {
  expect(
    [item("t", "k", 1), item("t", null, 1), item("t", "k", 1, "l"), item("t", "k", 1, null)].map(({ record }) =>
      lineOf(record),
    ),
  ).toEqual(["t:k", undefined, "l", undefined])
})

test("records of different topics and of no line go together", () => {
  expect(cut(item("a", "k", 1), item("b", "k", 1), item("a", null, 1), item("b", null, 1, null))).toHaveLength(1)
})

test("S18: where a line goes on in another topic, it goes on in a later request, and the other lines do not wait for it", () => {
  const made = (key: string) => item("made", key, 1, key)
  const paid = (key: string) => item("paid", key, 1, key)
  expect(cut(made("a"), paid("a"), made("b"), paid("b"), paid("a"), made("a"))).toEqual([
    ["made:a", "made:b"],
    ["paid:a", "paid:b", "paid:a"],
    ["made:a"],
  ])
})

test("a request is no larger than a broker takes; a record that is larger is alone in one", () => {
  expect(cut(item("t", "a", 500_000), item("t", "b", 500_000), item("t", "c", 2_000_000), item("t", "d", 1))).toEqual([
    ["t:a"],
    ["t:b"],
    ["t:c"],
    ["t:d"],
  ])
  expect(cut()).toEqual([])
})
