// The cache of compiled expressions.
import { expect, test } from "vitest"
import { compileExpression } from "./compile-expression.ts"
import { ExpressionError } from "./expression-error.ts"

const fill = (prefix: string, count: number): void => {
  for (let index = 0; index < count; index += 1) compileExpression(`${prefix}${index} > 0`)
}

test("C-86: the same source is compiled once", () => {
  expect(compileExpression("amount > 1")).toBe(compileExpression("amount > 1"))
})

test("C-86: the cache holds 256 programs and drops the one used longest ago", () => {
  const first = compileExpression("first > 1")
  fill("a", 255)
  expect(compileExpression("first > 1")).toBe(first)
  fill("b", 255)
  expect(compileExpression("first > 1")).toBe(first)
  fill("c", 256)
  expect(compileExpression("first > 1")).not.toBe(first)
})

test("C-86: a source that does not compile fails every time", () => {
  expect(() => compileExpression("a >")).toThrow(ExpressionError)
  expect(() => compileExpression("a >")).toThrow(ExpressionError)
})
