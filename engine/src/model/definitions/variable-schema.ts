// Schemas of variables: which names, of which simple types, which are required. Strict: nothing is coerced, every fault is listed.
import type { Violation } from "../../support/errors.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import { isObject } from "../../support/json.ts"
import { checkFields, fields } from "./check-fields.ts"
import { type Check, list, oneOf, type Report, text, wrongKind } from "./checks.ts"
import type { VariableSchema, VariableType } from "./definition.ts"
import { VARIABLE_TYPES } from "./definition.ts"
import { kindOf } from "./expressions/kind-of.ts"
import { child } from "./json-path.ts"

/** Variables that the schema does not name are free. */
export function checkVariables(schema: VariableSchema, variables: JsonObject, path: string): Violation[] {
  return [...missing(schema, variables, path), ...mistyped(schema, variables, path)]
}

function missing({ required = [] }: VariableSchema, variables: JsonObject, path: string): Violation[] {
  return required
    .filter((name) => !Object.hasOwn(variables, name))
    .map((name) => ({ path: child(path, name), message: "is required", hint: `add \`${name}\`` }))
}

function mistyped({ properties = {} }: VariableSchema, variables: JsonObject, path: string): Violation[] {
  return Object.entries(properties).flatMap(([name, { type }]) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined || isOfType(type, value)) return []
    return [
      { path: child(path, name), message: mismatch(type, value), hint: "values are not converted: send this type" },
    ]
  })
}

function isOfType(type: VariableType, value: JsonValue): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type
}

function mismatch(type: VariableType, value: JsonValue): string {
  const wanted = type === "integer" ? "an integer" : `a ${type}`
  return `must be ${wanted}, not ${typeof value === "number" && type === "integer" ? "a fraction" : kindOf(value)}`
}

const checkProperty = checkFields(
  fields({
    required: { type: oneOf(VARIABLE_TYPES) },
    optional: { title: text({ min: 1, max: 200 }), description: text({ min: 0, max: 2000 }) },
  }),
)

const checkProperties: Check = (value, path, report) => {
  if (!isObject(value)) return wrongKind("an object", value, path, report)
  for (const [name, property] of Object.entries(value)) checkProperty(property, child(path, name), report)
}

const checkRequired: Check = (value, path, report) => {
  list(text({ min: 1, max: 200 }), { min: 0, max: 1000 })(value, path, report)
  if (!Array.isArray(value)) return
  for (const [index, name] of value.entries()) {
    if (value.indexOf(name) < index) report(child(path, index), "is listed twice", "remove the repetition")
  }
}

/** Checks a schema document itself. */
export const checkVariableSchema: (value: unknown, path: string, report: Report) => void = checkFields(
  fields({ optional: { type: oneOf(["object"]), properties: checkProperties, required: checkRequired } }),
)
