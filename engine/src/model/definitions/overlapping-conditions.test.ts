// Conditions without an order: which of them could both hold.
import { expect, test } from "vitest"
import { overlappingPair } from "./overlapping-conditions.ts"

test.each([
  [["amount > 100", "amount <= 100"]],
  [["amount < 10", "amount >= 10 && amount < 100", "amount >= 100"]],
  [["100 < amount", "amount < 100", "amount == 100"]],
  [['status == "open"', 'status == "closed"', 'status != "open" && status != "closed"']],
  [["ok", "!ok"]],
  [["ok == true", "!ok"]],
  [["!(a == b)", "a == b"]],
  [['kind == "a" || kind == "b"', 'kind == "c"']],
  [["a > 1 && b > 1", "a > 1 && b <= 1"]],
  [['grade >= "m"', 'grade < "m"']],
  [['kind == "c"', 'kind == "a" || kind == "b"']],
  [["amount == 100", "amount > 100"]],
  [["!ok", "ok"]],
])("%j exclude each other", (conditions) => {
  expect(overlappingPair(conditions)).toBeUndefined()
})

test.each([
  [["amount > 100", "amount > 50"]],
  [["amount >= 100", "amount <= 100"]],
  [["amount > 100", "total > 100"]],
  [["true", "amount > 1"]],
  [['status != "open"', 'status != "closed"']],
  [['kind == "a" || kind == "b"', 'kind == "b"']],
  [["len(items) > 1", "contains(items, 1)"]],
  [["a == b", "a > b"]],
  [["amount == 100", "amount >= 100"]],
  [["amount == 100", "amount <= 100"]],
  [["ok", "ok"]],
  [["#ok", "#ok && #late"]],
])("%j may both hold", (conditions) => {
  expect(overlappingPair(conditions)).toEqual(conditions)
})

test("W-11: of very many conditions it is not known, and finding that out takes no time", () => {
  const few = Array.from({ length: 100 }, (_, n) => `x == ${n}`)
  expect(overlappingPair(few)).toBeUndefined()
  const many = Array.from({ length: 4_900 }, (_, n) => `x == ${n}`)
  expect(overlappingPair(many)).toEqual(["x == 1", expect.stringMatching(/^x == \d+$/)])
})
