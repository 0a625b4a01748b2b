// What expressions give, and that everything else is an error and never false.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the notation under test
import { describe, expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import { compileExpression } from "./compile-expression.ts"
import { evaluate, evaluateCondition } from "./evaluate.ts"
import { ExpressionError } from "./expression-error.ts"

const NOW_MS = Date.UTC(2026, 1, 3, 4, 5, 6, 7)
const variables: JsonObject = {
  amount: 120,
  name: "Ada",
  ok: true,
  nothing: null,
  order: { total: 9.5, customer: { city: "Bern" }, "": 1 },
  list: [1, "two", { three: 3 }, [4], null],
  empty: [],
}
const run = (source: string, over: JsonObject = variables): JsonValue =>
  evaluate(compileExpression(source), over, { nowMs: NOW_MS })

describe("C-83: variables by name, # and ${}", () => {
  test.each<[string, JsonValue]>([
    ["amount", 120],
    ["#amount", 120],
    ["${amount}", 120],
    ["${amount + 1}", 121],
    ["order.total", 9.5],
    ["#order.customer.city", "Bern"],
    ["${order.customer}", { city: "Bern" }],
    ["nothing", null],
    ["list", [1, "two", { three: 3 }, [4], null]],
  ])("C-83: %s", (source, expected) => expect(run(source)).toEqual(expected))

  test("C-83: a variable that holds expression text is text, it is never read again", () => {
    expect(run("x == '${amount}'", { x: "${amount}", amount: 1 })).toBe(true)
    expect(run("x", { x: "1 == 1" })).toBe("1 == 1")
  })
})

describe("C-84: operators", () => {
  test.each<[string, JsonValue]>([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["7 / 2", 3.5],
    ["6 / 2", 3],
    ["10 - 4 - 3", 3],
    ["0 * -1", 0],
    ["-amount", -120],
    ["'a' + 'b' + name", "abAda"],
    ["amount == 120", true],
    ["amount == 120.0", true],
    ["amount != 120", false],
    ["amount == '120'", false],
    ["ok == 'true'", false],
    ["nothing == null", true],
    ["nothing == 0", false],
    ["order.customer == order.customer", true],
    ["list == empty", false],
    ["amount > 119.5", true],
    ["amount >= 120", true],
    ["amount < 120", false],
    ["amount <= 120", true],
    ["'B' < 'a'", true],
    ["'10' < '9'", true],
    ["'ä' > 'z'", true],
    ["!ok", false],
    ["!(amount > 5) || ok", true],
    ["ok && amount > 100", true],
    ["false || false", false],
    ["1 in list", true],
    ["'1' in list", false],
    ["null in list", true],
    ["'two' in list", true],
    ["'total' in order", true],
    ["'toString' in order", false],
    ["'constructor' in order", false],
    ["'da' in name", true],
    ["'' in name", true],
    ["'x' in name", false],
    ["1 in empty", false],
    ["contains(list, 'two')", true],
    ["contains(order, 'total')", true],
    ["contains(name, 'A')", true],
    ["len(list)", 5],
    ["len(order)", 3],
    ["len(name)", 3],
    ["len('')", 0],
    ["len(empty) == 0", true],
    ["now()", "2026-02-03T04:05:06.007Z"],
    ["now() > '2026-01-01T00:00:00.000Z'", true],
  ])("C-84: %s", (source, expected) => expect(run(source)).toEqual(expected))

  test("C-84: equality looks into arrays and maps, whatever the order of keys", () => {
    const same = { a: { x: 1, y: [1, { z: null }] }, b: { y: [1, { z: null }], x: 1 } }
    expect(run("a == b", same)).toBe(true)
    expect(run("a == b", { ...same, b: { x: 1, y: [1, { z: 0 }] } })).toBe(false)
    expect(run("a == b", { a: { x: 1 }, b: { y: 1 } })).toBe(false)
    expect(run("a == b", { a: [1, 2], b: [2, 1] })).toBe(false)
    expect(run("a == b", { a: [], b: {} })).toBe(false)
    expect(run("x in list", { x: { k: [1] }, list: [0, { k: [1] }] })).toBe(true)
  })

  test("C-84: && and || stop as soon as the answer is known", () => {
    expect(run("false && missing")).toBe(false)
    expect(run("true || missing")).toBe(true)
    expect(() => run("true && missing")).toThrow(/unknown variable `missing`/)
  })
})

describe("C-86: an error, never false", () => {
  test.each([
    ["missing", /unknown variable `missing`/],
    ["missing == 1", /unknown variable `missing`/],
    ["missing != 1", /unknown variable `missing`/],
    ["!missing", /unknown variable/],
    ["order.missing", /unknown variable `order.missing`/],
    ["order.customer.zip.code", /unknown variable `order.customer.zip`/],
    ["amount.value", /unknown variable `amount.value`/],
    ["nothing.value", /unknown variable `nothing.value`/],
    ["name.length", /unknown variable `name.length`/],
    ["list.length", /unknown variable `list.length`/],
    ["1 / 0", /division by zero/],
    ["0 / 0", /division by zero/],
    ["1e308 * 10", /too large/],
    ["1e308 + 1e308", /too large/],
    ["1 + 'a'", /`\+` adds two numbers or joins two strings, not a number and a string/],
    ["'a' + 1", /`\+` adds/],
    ["'a' + null", /not a string and null/],
    ["'a' - 'b'", /`-` needs two numbers/],
    ["list * 2", /`\*` needs two numbers, not an array and a number/],
    ["-name", /`-` needs a number, not a string/],
    ["amount > '5'", /`>` compares two numbers or two strings, not a number and a string/],
    ["null < 1", /`<` compares/],
    ["ok >= false", /`>=` compares/],
    ["list < list", /`<` compares/],
    ["1 < 2 < 3", /`<` compares/],
    ["ok && amount", /`&&` needs true or false, not a number/],
    ["amount && ok", /`&&` needs true or false/],
    ["'' || ok", /`\|\|` needs true or false, not a string/],
    ["!amount", /`!` needs true or false/],
    ["!null", /`!` needs true or false, not null/],
    ["1 in amount", /`in` looks for/],
    ["1 in order", /`in` looks for/],
    ["1 in name", /`in` looks for/],
    ["'a' in null", /`in` looks for/],
    ["len(amount)", /len\(\) needs an array, a map or a string, not a number/],
    ["len(null)", /len\(\) needs/],
  ])("C-86: %s is an error", (source, message) => {
    expect(() => run(source)).toThrow(ExpressionError)
    expect(() => run(source)).toThrow(message)
  })

  test("C-86: an undefined variable is an error, never false", () => {
    expect(() => evaluateCondition(compileExpression("approved"), {}, { nowMs: 0 })).toThrow(/unknown variable/)
  })

  test("C-86: a condition must give true or false, nothing is taken for it", () => {
    const decide = (source: string) => () => evaluateCondition(compileExpression(source), variables, { nowMs: 0 })
    expect(decide("amount > 5")()).toBe(true)
    for (const source of ["amount", "name", "nothing", "list", "0", "''"]) {
      expect(decide(source)).toThrow(/gives .*, not true or false/)
    }
  })

  test("C-86: comparisons always give a boolean", () => {
    for (const operator of ["==", "!=", "<", "<=", ">", ">="]) expect(run(`1 ${operator} 2`)).toBeTypeOf("boolean")
  })
})

describe("SEC-42: the budget at run time", () => {
  const items = (count: number): JsonValue => Array.from({ length: count }, (_, index) => index)

  test("SEC-42: a search through more than 10,000 elements is an error", () => {
    expect(run("-1 in list", { list: items(9_000) })).toBe(false)
    expect(() => run("-1 in list", { list: items(11_000) })).toThrow(/more than 10000 steps/)
  })

  test("SEC-42: comparing large documents is an error", () => {
    expect(() => run("a == b", { a: items(20_000), b: items(20_000) })).toThrow(/more than 10000 steps/)
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]))
    expect(() => run("a == b", { a: wide, b: { ...wide } })).toThrow(/more than 10000 steps/)
    expect(() => run("len(a)", { a: wide })).toThrow(/more than 10000 steps/)
  })

  test("SEC-42: a document of any depth compares without overflowing the stack", () => {
    const nested = (depth: number): JsonValue => {
      let value: JsonValue = 1
      for (let level = 0; level < depth; level += 1) value = [value]
      return value
    }
    expect(run("a == b", { a: nested(4_000), b: nested(4_000) })).toBe(true)
    expect(() => run("a == b", { a: nested(100_000), b: nested(100_000) })).toThrow(/more than 10000 steps/)
  })

  test("SEC-42: text work is paid for as well", () => {
    const text = "a".repeat(1 << 20)
    expect(run("a == b", { a: text, b: `${text}` })).toBe(true)
    expect(() => run("a + a + a + a", { a: text })).toThrow(/more than 10000 steps/)
    const needle = `${"a".repeat(1000)}b${"a".repeat(1000)}`
    expect(() => run("needle in text", { needle, text })).toThrow(/more than 10000 steps/)
  })
})
