// Expressions of random shape against a small evaluator that is written apart from the engine's: the same value, or both refuse.
import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import { LIMITS } from "./ast.ts"
import { compileExpression } from "./compile-expression.ts"
import { evaluate } from "./evaluate.ts"
import { ExpressionError } from "./expression-error.ts"

/** An expression as its text and as what it means. */
interface Sample {
  readonly source: string
  readonly value: (variables: JsonObject) => JsonValue
}

class Refused extends Error {}

function refuse(): never {
  throw new Refused()
}

const isNumber = (value: JsonValue): value is number => typeof value === "number"
const isText = (value: JsonValue): value is string => typeof value === "string"
const asBoolean = (value: JsonValue): boolean => (typeof value === "boolean" ? value : refuse())
/** JSON has no negative zero and nothing beyond the largest number. */
const asJsonNumber = (value: number): number => (Number.isFinite(value) ? value + 0 : refuse())
const sorted = (value: JsonValue): string =>
  JSON.stringify(value, (_, inner: JsonValue) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

function isIn(element: JsonValue, collection: JsonValue): boolean {
  if (Array.isArray(collection)) return collection.some((item: JsonValue) => sorted(item) === sorted(element))
  if (!isText(element)) return refuse()
  if (isText(collection)) return collection.includes(element)
  return typeof collection === "object" && collection !== null ? Object.keys(collection).includes(element) : refuse()
}

const numeric = (of: (a: number, b: number) => number) => (a: JsonValue, b: JsonValue) =>
  isNumber(a) && isNumber(b) ? asJsonNumber(of(a, b)) : refuse()
const ordered = (of: (a: never, b: never) => boolean) => (a: JsonValue, b: JsonValue) =>
  (isNumber(a) && isNumber(b)) || (isText(a) && isText(b)) ? of(a as never, b as never) : refuse()

const BINARY: Readonly<Record<string, (a: JsonValue, b: JsonValue) => JsonValue>> = {
  "==": (a, b) => sorted(a) === sorted(b),
  "!=": (a, b) => sorted(a) !== sorted(b),
  "<": ordered((a: number, b: number) => a < b),
  "<=": ordered((a: number, b: number) => a <= b),
  ">": ordered((a: number, b: number) => a > b),
  ">=": ordered((a: number, b: number) => a >= b),
  in: isIn,
  "+": (a, b) => (isText(a) && isText(b) ? a + b : numeric((x, y) => x + y)(a, b)),
  "-": numeric((a, b) => a - b),
  "*": numeric((a, b) => a * b),
  "/": (a, b) => (b === 0 ? refuse() : numeric((x, y) => x / y)(a, b)),
}

const lengthOf = (value: JsonValue): number =>
  isText(value) || Array.isArray(value)
    ? value.length
    : typeof value === "object" && value !== null
      ? Object.keys(value).length
      : refuse()

function lookUp(variables: JsonObject, path: readonly string[]): JsonValue {
  let found: JsonValue = variables
  for (const name of path) {
    if (typeof found !== "object" || found === null || Array.isArray(found) || !Object.hasOwn(found, name))
      return refuse()
    found = (found as JsonObject)[name] as JsonValue
  }
  return found
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
const words = fc.constantFrom("", "a", "b", "ab", "it's", "\\", "é")
const literal = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map((value): Sample => ({ source: `${value}`, value: () => value })),
  fc.constantFrom(true, false, null).map((value): Sample => ({ source: `${value}`, value: () => value })),
  words.map((value): Sample => ({ source: quoted(value), value: () => value })),
)
const path = fc.constantFrom(
  "n",
  "big",
  "t",
  "list",
  "map",
  "map.a",
  "map.b.c",
  "yes",
  "missing",
  "map.missing",
  "list.length",
  "t.length",
)
const variable = path.map(
  (name): Sample => ({ source: name, value: (variables) => lookUp(variables, name.split(".")) }),
)

const sample = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    literal,
    variable,
    fc.record({ left: tie("sample"), right: tie("sample"), operator: fc.constantFrom(...Object.keys(BINARY)) }).map(
      ({ left, right, operator }): Sample => ({
        source: `(${left.source} ${operator} ${right.source})`,
        value: (variables) => BINARY[operator]!(left.value(variables), right.value(variables)),
      }),
    ),
    fc.record({ left: tie("sample"), right: tie("sample"), isAnd: fc.boolean() }).map(
      ({ left, right, isAnd }): Sample => ({
        source: `(${left.source} ${isAnd ? "&&" : "||"} ${right.source})`,
        value: (variables) => {
          const first = asBoolean(left.value(variables))
          return first === isAnd ? asBoolean(right.value(variables)) : first
        },
      }),
    ),
    tie("sample").map(
      ({ source, value }): Sample => ({ source: `!(${source})`, value: (variables) => !asBoolean(value(variables)) }),
    ),
    tie("sample").map(
      ({ source, value }): Sample => ({
        source: `-(${source})`,
        value: (variables) => {
          const operand = value(variables)
          return isNumber(operand) ? 0 - operand : refuse()
        },
      }),
    ),
    tie("sample").map(
      ({ source, value }): Sample => ({ source: `len(${source})`, value: (variables) => lengthOf(value(variables)) }),
    ),
  ),
})).sample

const VARIABLES: JsonObject = {
  n: 3,
  big: 1e308,
  t: "ab",
  list: [1, "a", null, { a: 1 }],
  map: { a: 1, b: { c: "x" } },
  yes: true,
}

/** Undefined where it is refused; anything else than a refusal of its own is a crash. */
function outcome(give: () => JsonValue): JsonValue | undefined {
  try {
    return give()
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof Refused) return undefined
    throw error
  }
}

const isWithinLimits = (source: string): boolean =>
  outcome(() => {
    compileExpression(source)
    return true
  }) === true

test("C-T2 SEC-42 SEC-44: any expression has the value that the reference gives it, or both refuse it", () => {
  let compared = 0
  fc.assert(
    fc.property(sample, ({ source, value }) => {
      if (!isWithinLimits(source)) return
      const found = outcome(() => evaluate(compileExpression(source), VARIABLES, { nowMs: 0 }))
      expect(found, source).toEqual(outcome(() => value(VARIABLES)))
      compared += found === undefined ? 0 : 1
    }),
    { numRuns: 5_000 },
  )
  expect(compared).toBeGreaterThan(500)
})

test("SEC-42: an expression over large values ends within its steps, or is refused for them", () => {
  const items = fc.integer({ min: 0, max: 3 * LIMITS.steps })
  fc.assert(
    fc.property(sample, items, ({ source }, length) => {
      if (!isWithinLimits(source)) return
      const list = Array.from({ length }, () => [1, { a: "x" }])
      const variables = { ...VARIABLES, list, map: { a: list, b: { c: "x".repeat(length) } }, t: "y".repeat(length) }
      const work = { left: LIMITS.planSteps }
      outcome(() => evaluate(compileExpression(source), variables, { nowMs: 0, work }))
      expect(LIMITS.planSteps - work.left).toBeLessThanOrEqual(LIMITS.steps)
    }),
    { numRuns: 300 },
  )
})
