// What a script expects is compared with what was seen.
import { expect, test } from "vitest"
import { mismatches, unlike } from "./match.ts"

test("only the named fields count at the top, all of them below", () => {
  expect(unlike({ a: 1 }, { a: 1, b: 2 })).toEqual([])
  expect(unlike({ a: { b: 1 } }, { a: { b: 1, c: 2 } })).toEqual([".a.c: expected nothing, saw 2"])
  expect(unlike({ a: { b: 1, c: 2 } }, { a: { b: 1 } })).toEqual([".a.c: expected 2, saw nothing"])
})

test("null is a value, and not the same as nothing", () => {
  expect(mismatches({ a: null }, {})).toHaveLength(1)
  expect(mismatches(null, null)).toEqual([])
})

test("numbers, texts and lists are compared as they are", () => {
  expect(mismatches([1, "1"], [1, 1])).toHaveLength(1)
  expect(mismatches([1, 2], [2, 1])).toHaveLength(2)
  expect(mismatches([1], [1, 2])).toHaveLength(1)
})

test.each([
  [{ $like: { a: 1 } }, { a: 1, b: 2 }, { a: 2 }],
  [{ $some: { a: 1 } }, [{ a: 2 }, { a: 1, b: 1 }], [{ a: 2 }]],
  [{ $none: { a: 1 } }, [{ a: 2 }], [{ a: 1 }]],
  [{ $every: { a: 1 } }, [{ a: 1 }, { a: 1, b: 1 }], [{ a: 1 }, {}]],
  [{ $set: ["a", "b"] }, ["b", "a"], ["a", "a"]],
  [{ $count: 2 }, [1, 2], [1]],
  [{ $matches: "^no " }, "no way", "oh no "],
  [{ $oneOf: [1, { a: 1 }] }, { a: 1 }, 2],
  [{ $atLeast: 2 }, 2, 1],
  [{ $not: "x" }, "y", "x"],
  [{ $present: true }, null, undefined],
  [{ $present: false }, undefined, 0],
  [{ $after: { of: "2026-01-01T00:00:00Z", ms: 1000 } }, "2026-01-01T00:00:01Z", "2026-01-01T00:00:00.999Z"],
])("%j takes %j, not %j", (matcher, right, wrong) => {
  expect(mismatches(matcher, right)).toEqual([])
  expect(mismatches(matcher, wrong)).toHaveLength(1)
})
