// How a difference reads.
import { expect, test } from "vitest"
import { describeDifference } from "./describe-difference.ts"

test("only what differs, by its path, on both sides", () => {
  const expected = { status: "COMPLETED", variables: { a: [1, 2], same: { deep: true } } }
  const found = { status: "FAILED", variables: { a: [1, 3, 4], same: { deep: true }, b: "x" } }
  expect(describeDifference(expected, found).split("\n")).toEqual([
    '  status: "COMPLETED" undisturbed, "FAILED" now',
    "  variables.a.1: 2 undisturbed, 3 now",
    "  variables.a.2: missing undisturbed, 4 now",
    '  variables.b: missing undisturbed, "x" now',
  ])
})

test("values that are not objects, or not of one kind, are shown whole, but never endlessly", () => {
  expect(describeDifference(1, 2)).toBe("  the outcome: 1 undisturbed, 2 now")
  expect(describeDifference({ a: [] }, { a: {} })).toBe("  a: [] undisturbed, {} now")
  expect(describeDifference("x".repeat(500), 1).length).toBeLessThan(300)
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, n]))
  expect(describeDifference(many, {})).toContain("… and 10 more")
})
