// How expressions are read: tokens, precedence, syntax errors and the limits on their size.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the notation under test
import { describe, expect, test } from "vitest"
import type { Node } from "./ast.ts"
import { ExpressionError } from "./expression-error.ts"
import { parseExpression } from "./parse-expression.ts"

/** The tree in full parentheses, to see what binds to what. */
function shape(node: Node): string {
  if (node.kind === "literal") return JSON.stringify(node.value)
  if (node.kind === "variable") return node.path.join(".")
  if (node.kind === "now") return "now()"
  if (node.kind === "len") return `len(${shape(node.operand)})`
  if (node.kind === "not") return `(!${shape(node.operand)})`
  if (node.kind === "negate") return `(-${shape(node.operand)})`
  return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`
}

const read = (source: string): string => shape(parseExpression(source).root)

function failure(source: string): ExpressionError {
  try {
    parseExpression(source)
  } catch (error) {
    if (error instanceof ExpressionError) return error
    throw error
  }
  throw new Error(`${source} was accepted`)
}

describe("C-83: variables", () => {
  test.each([
    ["amount", "amount"],
    ["#amount", "amount"],
    ["${amount}", "amount"],
    ["order.customer.name", "order.customer.name"],
    ["#order.total", "order.total"],
    ["${order}.total", "order.total"],
    ["${order.total}", "order.total"],
    ["(order).total", "order.total"],
    ["${amount > 5}", "(amount > 5)"],
    ["${a} + ${b}", "(a + b)"],
    ["_x1", "_x1"],
    ["#in", "in"],
    ["a.true.in", "a.true.in"],
    ["len", "len"],
    ["trueish", "trueish"],
    ["index", "index"],
  ])("C-83: %s is read as %s", (source, expected) => expect(read(source)).toBe(expected))
})

describe("C-84: precedence from low to high: or, and, equality, relational, additive, multiplicative, unary", () => {
  test.each([
    ["a || b && c", "(a || (b && c))"],
    ["a && b == c", "(a && (b == c))"],
    ["a == b < c", "(a == (b < c))"],
    ["a < b + c", "(a < (b + c))"],
    ["a + b * c", "(a + (b * c))"],
    ["a * -b", "(a * (-b))"],
    ["!a == b", "((!a) == b)"],
    ["!a.b && c", "((!a.b) && c)"],
    ["x in list == true", "((x in list) == true)"],
    ["a + 1 in list", "((a + 1) in list)"],
    ["a - b - c", "((a - b) - c)"],
    ["a / b * c", "((a / b) * c)"],
    ["a || b || c", "((a || b) || c)"],
    ["(a || b) && c", "((a || b) && c)"],
    ["!!a", "(!(!a))"],
    ["- -a", "(-(-a))"],
    ["contains(list, x)", "(x in list)"],
    ["len(a) + len(b)", "(len(a) + len(b))"],
    ["now() > t", "(now() > t)"],
    [" a\t==\n1\r", "(a == 1)"],
  ])("C-84: %s is read as %s", (source, expected) => expect(read(source)).toBe(expected))
})

describe("C-85: literals", () => {
  test.each([
    ["42", "42"],
    ["007", "7"],
    ["4.25", "4.25"],
    ["1e3", "1000"],
    ["1.5E-2", "0.015"],
    ["-7", "-7"],
    ["- 7.5", "-7.5"],
    ["3 -7", "(3 - 7)"],
    ["-0", "0"],
    ["9007199254740991", "9007199254740991"],
    ["true", "true"],
    ["false", "false"],
    ["null", "null"],
    ["'it'", '"it"'],
    ['"it"', '"it"'],
    [`'a "b" c'`, '"a \\"b\\" c"'],
    [String.raw`'\\ \' \" \n \t'`, String.raw`"\\ ' \" \n \t"`],
    ["'${a}'", '"${a}"'],
    ["''", '""'],
    ["'größe 🙂'", '"größe 🙂"'],
  ])("C-85: %s is read as %s", (source, expected) => expect(read(source)).toBe(expected))
})

describe("C-86: what does not parse is an error that says where", () => {
  test.each([
    ["", /expected a value, found the end/, 1],
    ["   ", /expected a value, found the end/, 4],
    ["a ==", /expected a value, found the end/, 5],
    ["== a", /expected a value, found `== a`/, 1],
    ["a b", /expected an operator or the end, found `b`/, 3],
    ["'abc", /unclosed quote '/, 1],
    ['a == "abc', /unclosed quote "/, 6],
    ["'abc\\", /unknown escape/, 5],
    [String.raw`'\x'`, /unknown escape/, 2],
    ["${a", /unclosed `\$\{`/, 1],
    ["x + ${a", /unclosed `\$\{`/, 5],
    ["${}", /expected a value, found `}`/, 3],
    ["${a)", /expected an operator or `}`/, 4],
    ["(a", /unclosed `\(`/, 1],
    ["a)", /expected an operator or the end, found `\)`/, 2],
    ["a = 1", /unexpected `=`; compare with `==`/, 3],
    ["a =< 1", /^unexpected `=<`; write `<=` \(/, 3],
    ["a => 1", /^unexpected `=>`; write `>=` \(/, 3],
    ["a and b", /found `and b`; write `&&` for `and` \(/, 3],
    ["(a OR b)", /found `OR b\)`; write `\|\|` for `OR` \(/, 4],
    ["a && not b", /found `b`; write `!` for `not` \(/, 10],
    ["not (a)", /^no function `not` .*; write `!` for `not` \(/, 1],
    ["a & b", /write `&&`/, 3],
    ["a | b", /write `\|\|`/, 3],
    ["$a", /opens with/, 1],
    ["{a}", /opens with/, 1],
    ["a ? b : c", /unexpected `\?`/, 3],
    ["a[0]", /unexpected `\[`/, 2],
    ["a % 2", /unexpected `%`/, 3],
    ["a; b", /unexpected `;`/, 2],
    ["`a`", /unexpected/, 1],
    ["größe", /unexpected/, 3],
    ["#", /`#` must be followed/, 1],
    ["# a", /`#` must be followed/, 1],
    ["#1", /`#` must be followed/, 1],
    ["a.", /property's name/, 3],
    ["a.1", /property's name/, 3],
    ["a..b", /property's name/, 3],
    [".5", /expected a value/, 1],
    ["5.", /only a variable has properties/, 3],
    ["5.x", /only a variable has properties/, 3],
    ["'a'.length", /only a variable has properties/, 5],
    ["(a + b).c", /only a variable has properties/, 9],
    ["1a", /a number is followed by a letter/, 2],
    ["1e", /a number is followed by a letter/, 2],
    ["0x10", /a number is followed by a letter/, 2],
    ["9007199254740992", /an integer beyond/, 1],
    ["1 + 0.1234567890123456789", /digits a double does not keep/, 5],
    ["1e-400", /digits a double does not keep/, 1],
    ["1e999", /too large/, 1],
    ["in", /expected a value before `in`/, 1],
    ["in list", /expected a value before `in`/, 1],
    ["foo(1)", /no function `foo` with 1 arguments/, 1],
    ["len()", /no function `len` with 0 arguments/, 1],
    ["len(a, b)", /no function `len` with 2 arguments/, 1],
    ["contains(a)", /no function `contains` with 1/, 1],
    ["now(1)", /no function `now` with 1/, 1],
    ["constructor(1)", /no function `constructor`/, 1],
    ["a.b(1)", /expected an operator or the end/, 4],
    ["len(a", /expected `,` or `\)`/, 6],
    ["len(a,)", /expected a value/, 7],
    ["!", /expected a value/, 2],
    ["a not b", /expected an operator or the end/, 3],
  ])("C-86: %j is a syntax error", (source, message, position) => {
    const error = failure(source)
    expect(error.message).toMatch(message)
    expect(error.position).toBe(position)
    expect(error.message).toContain(`at position ${position}`)
  })
})

describe("SEC-42: limits at upload", () => {
  const deep = (levels: number): string => `${"(".repeat(levels)}a${")".repeat(levels)}`
  const chain = (terms: number): string => Array(terms).fill("a").join("+")

  test("SEC-42: a source of 2 KiB is read, one byte more is not", () => {
    const text = (length: number): string => `'${"x".repeat(length - 2)}'`
    expect(() => parseExpression(text(2048))).not.toThrow()
    expect(failure(text(2049)).message).toMatch(/longer than 2048 bytes/)
  })

  test("SEC-42: the source is measured in bytes, not characters", () => {
    expect(failure(`'${"ü".repeat(1024)}'`).message).toMatch(/longer than 2048 bytes/)
  })

  test("SEC-42: 200 nodes are read, more are not", () => {
    expect(() => parseExpression(chain(100))).not.toThrow()
    expect(failure(chain(101)).message).toMatch(/more than 200 parts/)
    expect(failure(`a${".b".repeat(200)}`).message).toMatch(/more than 200 parts/)
  })

  test("SEC-42: nesting of every kind ends at depth 32", () => {
    expect(() => parseExpression(deep(31))).not.toThrow()
    expect(failure(deep(32)).message).toMatch(/nested deeper than 32/)
    for (const opening of ["(", "${", "!", "-", "len(", "contains(a, "]) {
      expect(failure(opening.repeat(150)).message).toMatch(/nested deeper than 32/)
    }
  })

  test("SEC-42: two groups side by side do not add up", () => {
    expect(() => parseExpression(`${deep(31)} + ${deep(31)}`)).not.toThrow()
  })
})

test("an expression knows whether it reads variables", () => {
  expect(parseExpression("now() > '2020'").readsVariables).toBe(false)
  expect(parseExpression("now() > since").readsVariables).toBe(true)
})
