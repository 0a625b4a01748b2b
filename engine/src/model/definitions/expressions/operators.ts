// What each operator does to JSON values. Nothing is coerced: a wrong kind is an error.
import type { JsonValue } from "../../../support/json.ts"
import { isObject } from "../../../support/json.ts"
import type { BinaryOperator } from "./ast.ts"
import { deepEqual, type Spend } from "./deep-equal.ts"
import { ExpressionError } from "./expression-error.ts"
import { kindOf } from "./kind-of.ts"

export function applyBinary(operator: BinaryOperator, left: JsonValue, right: JsonValue, spend: Spend): JsonValue {
  switch (operator) {
    case "==":
      return deepEqual(left, right, spend)
    case "!=":
      return !deepEqual(left, right, spend)
    case "in":
      return isIn(left, right, spend)
    case "+":
      return add(left, right, spend)
    case "-":
    case "*":
    case "/":
      return arithmetic(operator, left, right)
    default:
      return inOrder(operator, left, right, spend)
  }
}

export function negate(operand: JsonValue): number {
  if (typeof operand !== "number") throw new ExpressionError(`\`-\` needs a number, not ${kindOf(operand)}`)
  return 0 - operand
}

export function lengthOf(value: JsonValue, spend: Spend): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length
  if (!isObject(value)) throw new ExpressionError(`len() needs an array, a map or a string, not ${kindOf(value)}`)
  const { length } = Object.keys(value)
  spend(length)
  return length
}

function add(left: JsonValue, right: JsonValue, spend: Spend): JsonValue {
  if (typeof left !== "string" || typeof right !== "string") return arithmetic("+", left, right)
  spend.text(left.length + right.length)
  return left + right
}

function arithmetic(operator: "+" | "-" | "*" | "/", left: JsonValue, right: JsonValue): number {
  if (typeof left !== "number" || typeof right !== "number") throw mismatch(operator, left, right)
  if (operator === "/" && right === 0) throw new ExpressionError("division by zero")
  const result = calculate(operator, left, right)
  if (!Number.isFinite(result)) throw new ExpressionError(`the result of \`${operator}\` is too large to represent`)
  // JSON has no negative zero; keeping it would make a value differ from its stored self.
  return result === 0 ? 0 : result
}

function calculate(operator: "+" | "-" | "*" | "/", left: number, right: number): number {
  if (operator === "+") return left + right
  if (operator === "-") return left - right
  return operator === "*" ? left * right : left / right
}

function inOrder(operator: ">" | ">=" | "<" | "<=", left: JsonValue, right: JsonValue, spend: Spend): boolean {
  if (typeof left === "number" && typeof right === "number") return compare(operator, left, right)
  if (typeof left !== "string" || typeof right !== "string") throw mismatch(operator, left, right)
  spend.text(Math.min(left.length, right.length))
  return compare(operator, left, right)
}

/** Strings compare by code unit, whatever the locale. */
function compare<T extends number | string>(operator: ">" | ">=" | "<" | "<=", left: T, right: T): boolean {
  if (operator === ">") return left > right
  if (operator === ">=") return left >= right
  return operator === "<" ? left < right : left <= right
}

/** An element of an array, a key of a map, a part of a string. */
function isIn(element: JsonValue, collection: JsonValue, spend: Spend): boolean {
  if (Array.isArray(collection)) return collection.some((item: JsonValue) => deepEqual(element, item, spend))
  if (typeof element !== "string") throw mismatch("in", element, collection)
  if (isObject(collection)) return Object.hasOwn(collection, element)
  if (typeof collection !== "string") throw mismatch("in", element, collection)
  // The product, because the search built into V8 is quadratic at worst: 2 KB in 1 MB took 367 ms.
  spend.text(collection.length * element.length)
  return collection.includes(element)
}

function mismatch(operator: BinaryOperator, left: JsonValue, right: JsonValue): ExpressionError {
  return new ExpressionError(`\`${operator}\` ${NEEDS[operator]}, not ${kindOf(left)} and ${kindOf(right)}`)
}

const ORDERING = "compares two numbers or two strings"
const NUMBERS = "needs two numbers"
const NEEDS: Readonly<Record<BinaryOperator, string>> = {
  "==": "compares any two values",
  "!=": "compares any two values",
  ">": ORDERING,
  ">=": ORDERING,
  "<": ORDERING,
  "<=": ORDERING,
  in: "looks for a value in an array, a string in a map's keys or a string in a string",
  "+": "adds two numbers or joins two strings",
  "-": NUMBERS,
  "*": NUMBERS,
  "/": NUMBERS,
}
