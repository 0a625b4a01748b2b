import { expect, test } from "vitest"
import { beginningWith } from "./beginning-with.ts"

const points = (text: string) => [...text].map((one) => one.codePointAt(0) as number)

/** As PostgreSQL compares with the collation "C". */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const isIn = (prefix: string, key: string): boolean => {
  const { fromKey, beforeKey } = beginningWith(prefix)
  return compare(key, fromKey) >= 0 && compare(key, beforeKey) < 0
}

test("the range has exactly the keys that begin so", () => {
  const letters = ["a", "b", "%", "_", "\\", "é", "\ud7ff", "\ue000", "\uffff", "\u{1f600}", "\u{10ffff}"]
  const pairs = letters.flatMap((one) => ["", ...letters].map((two) => one + two))
  const keys = [...pairs, ...pairs.flatMap((pair) => letters.map((letter) => pair + letter))]
  for (const prefix of ["", ...pairs])
    for (const key of keys)
      expect([prefix, points(key), isIn(prefix, key)]).toEqual([prefix, points(key), key.startsWith(prefix)])
})
