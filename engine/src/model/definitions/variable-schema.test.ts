// Schemas of variables: checked strictly, nothing converted, everything reported.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonValue } from "../../support/json.ts"
import type { VariableSchema, VariableType } from "./definition.ts"
import { checkVariableSchema, checkVariables } from "./variable-schema.ts"

const schema: VariableSchema = {
  properties: {
    name: { type: "string" },
    amount: { type: "number" },
    count: { type: "integer" },
    ok: { type: "boolean" },
  },
  required: ["name", "order id"],
}
const faults = (document: unknown): string[] => {
  const found: string[] = []
  checkVariableSchema(document, "$.inputSchema", (path, message) => found.push(`${path} ${message}`))
  return found
}

describe("C-55: variables against a schema", () => {
  test("C-55: what fits gives no violation, and unnamed variables are free", () => {
    const variables = { name: "Ada", amount: 1.5, count: 2, ok: false, "order id": null, other: [1] }
    expect(checkVariables(schema, variables, "$.variables")).toEqual([])
  })

  test("C-55: every violation is listed, each with its path", () => {
    const found = checkVariables(schema, { amount: "12", count: 1.5, ok: "true" }, "$.variables")
    expect(found.map(({ path, message }) => `${path} ${message}`)).toEqual([
      "$.variables.name is required",
      '$.variables["order id"] is required',
      "$.variables.amount must be a number, not a string",
      "$.variables.count must be an integer, not a fraction",
      "$.variables.ok must be a boolean, not a string",
    ])
    expect(found.every(({ hint }) => hint)).toBe(true)
  })

  test("C-55: null is no value of any type, and presence is an own property", () => {
    expect(checkVariables({ properties: { a: { type: "string" } } }, { a: null }, "$")).toHaveLength(1)
    expect(checkVariables({ required: ["toString"] }, {}, "$")).toHaveLength(1)
    expect(checkVariables({ properties: { valueOf: { type: "string" } } } as VariableSchema, {}, "$")).toEqual([])
    expect(checkVariables({}, { a: 1 }, "$")).toEqual([])
  })

  test("C-55: a value fits exactly the types it is of: nothing is coerced", () => {
    const fitting = (value: JsonValue): VariableType[] => {
      if (typeof value === "string") return ["string"]
      if (typeof value === "boolean") return ["boolean"]
      if (typeof value !== "number") return []
      return Number.isInteger(value) ? ["number", "integer"] : ["number"]
    }
    const types = fc.constantFrom<VariableType>("string", "number", "integer", "boolean")
    fc.assert(
      fc.property(types, fc.jsonValue() as fc.Arbitrary<JsonValue>, (type, value) => {
        const found = checkVariables({ properties: { x: { type } } }, { x: value }, "$")
        expect(found.length).toBe(fitting(value).includes(type) ? 0 : 1)
      }),
    )
  })
})

describe("C-55: the schema itself", () => {
  test("C-55: a schema of known types is accepted", () => {
    expect(faults(schema)).toEqual([])
    expect(faults({})).toEqual([])
    expect(faults({ type: "object", properties: { a: { type: "string", title: "A", description: "" } } })).toEqual([])
  })

  test.each<[unknown, RegExp]>([
    [null, /^\$\.inputSchema must be an object, not null/],
    [[], /must be an object, not an array/],
    [{ property: {} }, /unknown field `property`/],
    [{ type: "array" }, /must be one of "object"/],
    [{ properties: [] }, /properties must be an object/],
    [{ properties: { a: "string" } }, /properties\.a must be an object/],
    [{ properties: { a: {} } }, /properties\.a\.type is required/],
    [{ properties: { a: { type: "date" } } }, /must be one of "string", "number", "integer", "boolean"/],
    [{ properties: { a: { type: "string", minLength: 1 } } }, /unknown field `minLength`/],
    [{ required: "a" }, /required must be an array/],
    [{ required: [1] }, /required\[0\] must be a string/],
    [{ required: ["a", "a"] }, /required\[1\] is listed twice/],
  ])("C-55: %j is refused", (document, message) => expect(faults(document).join("\n")).toMatch(message))
})
