// Properties of the expression language over generated values and sources (C-T2).
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the notation under test
import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import { compileExpression } from "./compile-expression.ts"
import { evaluate } from "./evaluate.ts"
import { ExpressionError } from "./expression-error.ts"

const run = (source: string, variables: JsonObject = {}): JsonValue =>
  evaluate(compileExpression(source), variables, { nowMs: 0 })
const check = <Ts>(property: fc.IProperty<Ts>): void => fc.assert(property, { numRuns: 300 })

const name = fc
  .stringMatching(/^[a-z_][a-z0-9_]{0,8}$/)
  .filter((word) => !["in", "true", "false", "null"].includes(word))
const integer = fc.integer({ min: -1_000_000, max: 1_000_000 })
const text = fc.string({ maxLength: 12 })
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>

test("C-T2: a variable gives its value, in all three notations", () => {
  check(
    fc.property(name, json, (variable, value) => {
      for (const source of [variable, `#${variable}`, `\${${variable}}`]) {
        expect(run(source, { [variable]: value })).toEqual(value)
      }
    }),
  )
})

test("C-T2: an undefined variable is an error wherever it stands", () => {
  const around = fc.constantFrom(
    "@",
    "!@",
    "@ == 1",
    "1 != @",
    "@ && true",
    "false || @",
    "@ in @",
    "len(@)",
    "-@",
    "${@}",
  )
  check(
    fc.property(name, around, (variable, context) => {
      expect(() => run(context.replaceAll("@", variable))).toThrow(ExpressionError)
    }),
  )
})

test("C-T2: equality is reflexive and symmetric, and != is its opposite", () => {
  check(
    fc.property(json, json, (a, b) => {
      expect(run("a == b", { a, b: structuredClone(a) })).toBe(true)
      expect(run("a == b", { a, b })).toBe(run("b == a", { a, b }))
      expect(run("a != b", { a, b })).toBe(!run("a == b", { a, b }))
    }),
  )
})

test("C-T2: of two numbers or two strings exactly one of <, ==, > holds", () => {
  const pairs = fc.oneof(fc.tuple(integer, integer), fc.tuple(text, text))
  check(
    fc.property(pairs, ([a, b]) => {
      const holding = ["<", "==", ">"].filter((operator) => run(`a ${operator} b`, { a, b }) === true)
      expect(holding).toHaveLength(1)
      expect(run("a <= b", { a, b })).toBe(!run("a > b", { a, b }))
      expect(run("a >= b", { a, b })).toBe(!run("a < b", { a, b }))
    }),
  )
})

test("C-T2: integer arithmetic is JavaScript's, literals and variables alike", () => {
  check(
    fc.property(integer, integer, integer, (a, b, c) => {
      expect(run(`${a} + ${b} * ${c}`)).toBe(a + b * c + 0)
      expect(run("a - (b - c)", { a, b, c })).toBe(a - (b - c) + 0)
    }),
  )
})

test("C-T2: a string literal gives back any text", () => {
  const quoted = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
  check(
    fc.property(text, (value) => {
      expect(run(quoted(value))).toBe(value)
    }),
  )
})

test("C-T2: De Morgan holds, so precedence and short circuits agree", () => {
  check(
    fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (a, b, c) => {
      expect(run("!(a && b) == (!a || !b)", { a, b })).toBe(true)
      expect(run("a || b && c", { a, b, c })).toBe(a || (b && c))
    }),
  )
})

test("C-T2: contains is in", () => {
  check(
    fc.property(fc.array(json, { maxLength: 6 }), json, (list, x) => {
      expect(run("contains(list, x)", { list, x })).toBe(run("x in list", { list, x }))
      expect(run("x in list", { list: [...list, x], x })).toBe(true)
      expect(run("len(list)", { list })).toBe(list.length)
    }),
  )
})

test("C-T2: any source either gives a JSON value or throws ExpressionError, and twice the same", () => {
  const piece = fc.constantFrom(
    ..."a b.c #a ${ } ( ) 'x' \" ' 1 2.5 -3 true null == != < >= + - * / && || ! in . , len( now() contains( \\ = $ é".split(
      " ",
    ),
  )
  const source = fc.oneof(
    fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(" ")),
    text,
  )
  const outcome = (text: string): string => {
    try {
      return JSON.stringify(run(text, { a: 1, b: { c: "x" } })) ?? "no JSON"
    } catch (error) {
      if (error instanceof ExpressionError) return error.message
      throw error
    }
  }
  check(
    fc.property(source, (text) => {
      expect(outcome(text)).not.toBe("no JSON")
      expect(outcome(text)).toBe(outcome(text))
    }),
  )
})
