// Values of transformations: a whole `${…}` is an expression, everything else a literal.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the notation under test
import { describe, expect, test } from "vitest"
import type { JsonValue } from "../../../support/json.ts"
import { ExpressionError } from "./expression-error.ts"
import { compileTemplate, evaluateTemplate } from "./template.ts"

const variables = { a: 2, b: 3, name: "Ada", list: [1], order: { total: 5 } }
const value = (template: JsonValue): JsonValue =>
  evaluateTemplate(compileTemplate(template), variables, { nowMs: 1_700_000_000_123 })

describe("C-46: a whole ${…} gives the value of its expression, of any type", () => {
  test.each<[string, JsonValue]>([
    ["${a}", 2],
    ["${a + b}", 5],
    ["${a == 2}", true],
    ["${order}", { total: 5 }],
    ["${list}", [1]],
    ["${'}' + name}", "}Ada"],
    ['${"}${" + name}', "}${Ada"],
    [String.raw`\${'\'}' + name}`.replace("\\$", "$"), "'}Ada"],
    ["${${a} * ${b}}", 6],
    ["${ a }", 2],
  ])("C-46: %s", (template, expected) => expect(value(template)).toEqual(expected))

  test("C-46: ${now()} gives the plan's time as RFC 3339 in UTC with milliseconds", () => {
    expect(value("${now()}")).toBe("2023-11-14T22:13:20.123Z")
  })
})

describe("C-46: everything else is a literal as it stands", () => {
  test.each<[JsonValue]>([
    ["a"],
    [""],
    ["a + b"],
    ["hello ${name}"],
    ["${a} and ${b}"],
    ["${a} isn't it"],
    [" ${a}"],
    ["${a} "],
    ["$a"],
    [12],
    [null],
    [true],
    [{ nested: "${a}" }],
    [["${a}"]],
  ])("C-46: %j", (literal) => expect(value(literal)).toEqual(literal))
})

test.each(["${a", "${", "${a + }", "${'a}", "${}", "${a {}}"])("C-86: %s is an error, not a literal", (template) => {
  expect(() => compileTemplate(template)).toThrow(ExpressionError)
})
