// What is different between two states of the variables.
import { describe, expect, test } from "vitest"
import { changesBetween, patchBetween } from "./difference.ts"

describe("changes", () => {
  test("C-122: added, changed and removed, by the place where it happened", () => {
    const before = { a: 1, b: { c: 1, d: [1, 2, 3] }, gone: true, same: { x: [1] } }
    const after = { a: 2, b: { c: 1, d: [1, 9] }, same: { x: [1] }, fresh: null }
    expect(changesBetween(before, after)).toEqual([
      { path: "a", kind: "changed", before: 1, after: 2 },
      { path: "b.d[1]", kind: "changed", before: 2, after: 9 },
      { path: "b.d[2]", kind: "removed", before: 3 },
      { path: "fresh", kind: "added", after: null },
      { path: "gone", kind: "removed", before: true },
    ])
  })

  test("another kind of value is a change of the whole; names that are no words are quoted", () => {
    expect(changesBetween({ "a b": {}, n: null }, { "a b": [], n: 0 })).toEqual([
      { path: '["a b"]', kind: "changed", before: {}, after: [] },
      { path: "n", kind: "changed", before: null, after: 0 },
    ])
  })

  test("a variable that is called like something every object has is a variable", () => {
    const after = JSON.parse('{ "toString": 1, "__proto__": { "x": 1 } }')
    expect(changesBetween({}, after).map(({ path, kind }) => [path, kind])).toEqual([
      ["toString", "added"],
      ["__proto__", "added"],
    ])
  })
})

test("what is sent to change variables are the whole ones that differ", () => {
  expect(patchBetween({ a: { b: 1 }, c: [1], d: 1 }, { a: { b: 2 }, c: [1], d: 1, e: null })).toEqual({
    a: { b: 2 },
    e: null,
  })
})
