import fc from "fast-check"
import { expect, test } from "vitest"
import { type DiffLine, hunksOf, lineDiff } from "./line-diff.ts"

const SIGNS = { same: " ", added: "+", removed: "-" } as const
const shown = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => SIGNS[kind] + text)
const diff = (before: string, after: string) => shown(lineDiff(before.split(""), after.split(""))).join(" ")

test("only what went and what came is marked", () => {
  expect(diff("abcd", "abxd")).toBe(" a  b -c +x  d")
  expect(diff("abc", "abc")).toBe(" a  b  c")
  expect(diff("", "ab")).toBe("+a +b")
  expect(diff("abcabba", "cbabac")).toBe("-a -b  c +b  a  b -b  a +c")
})

test("from the lines of a difference both texts can be read again, and it is never longer than both", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)
      expect(lines.filter(({ kind }) => kind !== "added").map((line) => line.text)).toEqual(before)
      expect(lines.filter(({ kind }) => kind !== "removed").map((line) => line.text)).toEqual(after)
      expect(lines.filter(({ kind }) => kind === "same")).toHaveLength(longestCommon(before, after))
    }),
  )
})

test("texts that have nothing in common are told apart as wholes, in time", () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `old ${index}`)
  const after = Array.from({ length: 5_000 }, (_, index) => `new ${index}`)
  const lines = lineDiff(before, after)
  expect(lines).toHaveLength(10_000)
  expect(lines[0]?.kind).toBe("removed")
})

test("long stretches of sameness are left out", () => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  const hunks = hunksOf(lineDiff(before, before.with(15, "another")), 2)
  expect(hunks.map((hunk) => ("skipped" in hunk ? hunk.skipped : shown(hunk.lines)))).toEqual([
    13,
    [" line 13", " line 14", "-line 15", "+another", " line 16", " line 17"],
    12,
  ])
})

/** As every textbook has it: slow, and right. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!)
  return table[a.length]![b.length]!
}
