// What a JSON Schema refuses at the door, and what it must let pass because it cannot be sure.
import { describe, expect, test } from "vitest"
import type { JsonValue } from "../../../support/json.ts"
import { checkJsonSchema } from "./json-schema.ts"

const said = (schema: unknown, value: JsonValue) =>
  checkJsonSchema(schema, value, "$").map(({ path, message }) => `${path} ${message}`)

describe("types", () => {
  test.each<[unknown, JsonValue, string[]]>([
    ["string", "x", []],
    ["string", 5, ["$ must be string, not a number"]],
    ["number", 1.5, []],
    ["integer", 2, []],
    ["integer", 2.5, ["$ must be integer, not a fraction"]],
    ["integer", "2", ["$ must be integer, not a string"]],
    ["boolean", false, []],
    ["null", null, []],
    ["null", 0, ["$ must be null, not a number"]],
    ["array", [], []],
    ["array", {}, ["$ must be array, not an object"]],
    ["object", {}, []],
    ["object", [], ["$ must be object, not an array"]],
    [["string", "null"], null, []],
    [["string", "null"], 1, ["$ must be string or null, not a number"]],
    [7, "anything", []],
  ])("%j and %j", (type, value, violations) => {
    expect(said({ type }, value)).toEqual(violations)
  })
})

describe("values", () => {
  test.each<[object, JsonValue, string[]]>([
    [{ enum: ["a", "b"] }, "a", []],
    [{ enum: ["a", 1] }, "c", ['$ must be one of "a", 1']],
    [{ const: null }, null, []],
    [{ const: "x" }, "y", ['$ must be one of "x"']],
    [{ enum: [{ a: 1 }] }, "c", []],
    [{ enum: "a" }, "c", []],
    [{ minimum: 3, maximum: 5 }, 4, []],
    [{ minimum: 3 }, 2, ["$ breaks minimum 3"]],
    [{ maximum: 3 }, 4, ["$ breaks maximum 3"]],
    [{ exclusiveMinimum: 3, exclusiveMaximum: 3 }, 3, ["$ breaks exclusiveMinimum 3", "$ breaks exclusiveMaximum 3"]],
    [{ minimum: 3 }, "2", []],
    [{ minLength: 2 }, "a", ["$ has 1, and needs at least 2"]],
    [{ maxLength: 2 }, "abc", ["$ has 3, and may have 2"]],
    // Two code units and one character: which of them a validator counts is not known.
    [{ minLength: 2, maxLength: 1 }, "😀", []],
    [{ minItems: 1 }, [], ["$ has 0, and needs at least 1"]],
    [{ maxItems: 1 }, [1, 2], ["$ has 2, and may have 1"]],
    [{ minLength: 2, minItems: 2 }, 7, []],
  ])("%j and %j", (schema, value, violations) => {
    expect(said(schema, value)).toEqual(violations)
  })
})

describe("parts", () => {
  const order = {
    type: "object",
    properties: { by: { type: "string" }, lines: { type: "array", items: { type: "number" } } },
    required: ["by", 7],
  }

  test("each is judged at its own path, and what is missing is named", () => {
    expect(said(order, { lines: [1, "2"], more: true })).toEqual([
      "$.by is required",
      "$.lines[1] must be number, not a string",
    ])
  })

  test("further properties pass unless they are forbidden, or have a schema", () => {
    expect(said({ ...order, additionalProperties: false }, { by: "x", more: 1 })).toEqual([
      "$.more is not allowed here",
    ])
    expect(said({ additionalProperties: { type: "number" } }, { a: 1, b: "x" })).toEqual([
      "$.b must be number, not a string",
    ])
    expect(said({ patternProperties: { "^x": {} }, additionalProperties: false }, { x1: 1 })).toEqual([])
  })

  test("a tuple has a schema for each of its first items", () => {
    const pair = { prefixItems: [{ type: "string" }, { type: "number" }], items: false }
    expect(said(pair, ["a", 1])).toEqual([])
    expect(said(pair, [1, 1, 1])).toEqual(["$[0] must be string, not a number", "$[2] is not allowed here"])
  })

  test("one of several forms is enough; where none fits, the closest says why", () => {
    const either = {
      anyOf: [
        { properties: { a: { type: "string" }, b: { type: "string" } } },
        { properties: { a: { type: "number" } } },
      ],
    }
    expect(said(either, { a: 1 })).toEqual([])
    expect(said(either, { a: true, b: true })).toEqual(["$.a must be number, not a boolean"])
    expect(said({ oneOf: [{ type: "string" }], anyOf: [] }, 1)).toEqual(["$ must be string, not a number"])
    expect(said({ allOf: [{ type: "string" }, { minLength: 3 }] }, "a")).toEqual(["$ has 1, and needs at least 3"])
  })

  test("a reference is followed within the schema, and any other passes", () => {
    const tree = {
      $ref: "#/$defs/node",
      $defs: {
        node: { properties: { "a/b~": { $ref: "#/$defs/leaf" }, next: { $ref: "#/$defs/node" } } },
        leaf: false,
      },
    }
    expect(said(tree, { next: { next: { "a/b~": 1 } } })).toEqual(['$.next.next["a/b~"] is not allowed here'])
    expect(said({ $ref: "https://example.com/schema" }, 1)).toEqual([])
    expect(said({ $ref: "#/$defs/none" }, 1)).toEqual([])
  })

  test("a schema that refers to itself without end lets the value pass", () => {
    expect(said({ anyOf: [{ $ref: "#" }, { $ref: "#" }], type: "string" }, "x")).toEqual([])
    expect(said({ $ref: "#" }, 1)).toEqual([])
  })

  test("what is no schema says nothing, and violations have an end", () => {
    expect(said("text", 1)).toEqual([])
    expect(said(true, 1)).toEqual([])
    expect(said({ items: false }, Array(500).fill(1))).toHaveLength(100)
  })
})
