import { describe, expect, test } from "vitest"
import { checkVariables } from "../../../engine/src/model/definitions/variable-schema.ts"
import { checkValue, isWithin } from "./check.ts"
import { fieldKind, initialValue } from "./field-kind.ts"
import type { JsonSchema } from "./json-schema.ts"

type JsonObject = Parameters<typeof checkVariables>[1]

describe("C-55: the values of a form", () => {
  const schema = {
    properties: { amount: { type: "number" }, age: { type: "integer" }, "the name": { type: "string" } },
    required: ["amount", "the name"],
  } as const

  test.each([
    {},
    { amount: "4" },
    { amount: 4, age: 1.5 },
    { amount: 4, "the name": null },
    { amount: 4, "the name": "x" },
  ])("are found wrong as the engine finds them: %j", (value) => {
    expect(checkValue(schema, value)).toEqual(checkVariables(schema, value as JsonObject, "$.variables"))
  })

  test("each fault is at its field", () => {
    expect(checkValue(schema, { age: 1.5 }).map(({ path, message }) => `${path} ${message}`)).toEqual([
      "$.variables.amount is required",
      '$.variables["the name"] is required',
      "$.variables.age must be an integer, not a fraction",
    ])
  })
})

test("groups, lists and limits are checked to the bottom", () => {
  const schema = {
    properties: {
      size: { type: "string", enum: ["S", "M"] },
      count: { type: "integer", minimum: 1, maximum: 5 },
      email: { type: "string", format: "email" },
      day: { type: "string", format: "date" },
      note: { type: "string", minLength: 2, maxLength: 3 },
      tags: { type: "array", items: { type: "string" } },
      address: { type: "object", properties: { zip: { type: "string" } }, required: ["zip"] },
    },
  }
  const wrong = { size: "L", count: 9, email: "x", day: "soon", note: "abcd", tags: ["a", 1], address: {} }
  expect(checkValue(schema, wrong).map(({ path }) => path)).toEqual([
    "$.variables.size",
    "$.variables.count",
    "$.variables.email",
    "$.variables.day",
    "$.variables.note",
    "$.variables.tags[1]",
    "$.variables.address.zip",
  ])
  const right = {
    size: "M",
    count: 5,
    email: "a@b",
    day: "2025-03-01",
    note: "abc",
    tags: ["a"],
    address: { zip: "1" },
  }
  expect(checkValue(schema, right)).toEqual([])
  expect(checkValue(schema, { tags: "a", address: [] }).map(({ message }) => message)).toEqual([
    "must be an array",
    "must be an object",
  ])
})

test("a path leads into another only at a border of names", () => {
  expect(isWithin("$.variables.ab", "$.variables.a")).toBe(false)
  expect(isWithin("$.variables.a[0]", "$.variables.a")).toBe(true)
  expect(isWithin("$.variables.a.b", "$.variables.a")).toBe(true)
})

test.each([
  [{ type: "string" }, "text"],
  [{ type: "string", enum: ["a"] }, "choice"],
  [{ type: "string", format: "date" }, "date"],
  [{ type: "string", format: "email" }, "email"],
  [{ type: "string", maxLength: 2000 }, "long-text"],
  [{ type: "integer" }, "integer"],
  [{ type: "boolean" }, "boolean"],
  [{ type: "array", items: { type: "number" } }, "list"],
  [{ type: "array", items: { type: "object", properties: { a: {} } } }, "json"],
  [{ type: "object", properties: { a: { type: "string" } } }, "group"],
  [{ type: "object" }, "json"],
  [{ oneOf: [] }, "json"],
  [{}, "json"],
] as const)("%j is drawn as %s", (schema, kind) => {
  expect(fieldKind(schema as JsonSchema)).toBe(kind)
})

test("a form begins with the defaults and what is known already, and with nothing that the schema does not name", () => {
  const schema = {
    properties: {
      amount: { type: "number", default: 5 },
      currency: { type: "string", default: "CHF" },
      address: { type: "object", properties: { country: { type: "string", default: "CH" } } },
      note: { type: "string" },
    },
  }
  expect(initialValue(schema, { currency: "EUR", other: 1 })).toEqual({
    amount: 5,
    currency: "EUR",
    address: { country: "CH" },
  })
})
