// The filter: never wrong about what was added, rarely about the rest, and not by anyone's design.
import { expect, test } from "vitest"
import { bloomFilter } from "./bloom-filter.ts"

test("E-05, E-F3: a million at 0.001 take 1.80 MB and 10 hashes", () => {
  const filter = bloomFilter({ capacity: 1_000_000, errorRate: 0.001 }, "seed")
  expect(filter.hashes).toBe(10)
  expect((filter.bytes / 1e6).toFixed(2)).toBe("1.80")
  expect(filter.has("never added")).toBe(false)
})

test("G2: what was added is always found, and of the rest no more than the stated share at the stated load", () => {
  const filter = bloomFilter({ capacity: 20_000, errorRate: 0.001 }, "seed")
  for (let at = 0; at < 20_000; at++) filter.add(`blocked-${at}`)
  expect(filter.count).toBe(20_000)
  const missed = Array.from({ length: 20_000 }, (_, at) => filter.has(`blocked-${at}`)).filter((has) => !has)
  expect(missed).toEqual([])
  const others = 100_000
  let taken = 0
  for (let at = 0; at < others; at++) if (filter.has(`other-${at}`)) taken++
  // The seed is fixed, so the count is: with this one 92 of 100,000.
  expect(taken / others).toBeLessThanOrEqual(0.001)
})

test("SEC-64: texts that are taken for blocked ones under one seed are not under another", () => {
  const size = { capacity: 1_000, errorRate: 0.01 }
  const [known, fresh] = [bloomFilter(size, "leaked"), bloomFilter(size, "secret")]
  for (let at = 0; at < 1_000; at++) for (const filter of [known, fresh]) filter.add(`blocked-${at}`)
  const crafted: string[] = []
  for (let at = 0; crafted.length < 200; at++) if (known.has(`crafted-${at}`)) crafted.push(`crafted-${at}`)
  expect(crafted.filter((text) => fresh.has(text)).length).toBeLessThan(20)
})

test("a filter for one text works", () => {
  const filter = bloomFilter({ capacity: 1, errorRate: 0.9 }, "seed")
  filter.add("a")
  expect([filter.hashes, filter.has("a")]).toEqual([1, true])
})
