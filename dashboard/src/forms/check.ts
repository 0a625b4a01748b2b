// What is wrong with the values of a form, in the engine's own words and paths, before they are sent. The engine judges all the same.
import { VARIABLE_TYPES, type VariableSchema } from "../../../engine/src/model/definitions/definition.ts"
import { child } from "../../../engine/src/model/definitions/json-path.ts"
import { checkVariables } from "../../../engine/src/model/definitions/variable-schema.ts"
import type { Violation } from "../api/http.ts"
import { itemsOf, propertiesOf, recordOf, requiredOf } from "./field-kind.ts"
import type { JsonSchema } from "./json-schema.ts"

/** Where values stand in every request that carries them: paths begin with this. */
export const VARIABLES = "$.variables"

export const checkValue = (schema: JsonSchema, value: Readonly<Record<string, unknown>>): Violation[] =>
  checkObject(schema, value, VARIABLES)

/** Whether a path is the other or leads further into it. */
export const isWithin = (path: string, outer: string): boolean =>
  path === outer || (path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length)))

function checkObject(schema: JsonSchema, value: Readonly<Record<string, unknown>>, path: string): Violation[] {
  const properties = Object.entries(propertiesOf(schema))
  const simple = Object.fromEntries(properties.filter(([, { type }]) => isSimple(type)))
  const known = { properties: simple, required: requiredOf(schema) } as VariableSchema
  const faults = checkVariables(known, value as Parameters<typeof checkVariables>[1], path)
  const further = properties.flatMap(([name, property]) =>
    Object.hasOwn(value, name) && !faults.some((fault) => fault.path === child(path, name))
      ? checkFurther(property, value[name], child(path, name))
      : [],
  )
  return [...faults, ...further]
}

const isSimple = (type: unknown): boolean => (VARIABLE_TYPES as readonly unknown[]).includes(type)

/** What JSON Schema can say beyond the types that the engine knows. */
function checkFurther(schema: JsonSchema, value: unknown, path: string): Violation[] {
  if (schema.type === "object") {
    return isPlain(value) ? checkObject(schema, recordOf(value), path) : [{ path, message: "must be an object" }]
  }
  if (schema.type === "array") {
    if (!Array.isArray(value)) return [{ path, message: "must be an array" }]
    return value.flatMap((item, index) => checkItem(itemsOf(schema), item, child(path, index)))
  }
  const message = limitFault(schema, value)
  return message === undefined ? [] : [{ path, message }]
}

function checkItem(schema: JsonSchema, item: unknown, path: string): Violation[] {
  if (!isSimple(schema.type)) return checkFurther(schema, item, path)
  const [fault] = checkVariables({ properties: { item: schema } } as unknown as VariableSchema, { item } as never, "$")
  return fault ? [{ ...fault, path }] : checkFurther(schema, item, path)
}

const isPlain = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

function limitFault(schema: JsonSchema, value: unknown): string | undefined {
  const { minimum, maximum, minLength, maxLength, format } = schema
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(", ")}`
  if (typeof value === "number") {
    if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}`
    if (typeof maximum === "number" && value > maximum) return `must be at most ${maximum}`
  }
  if (typeof value === "string") {
    if (typeof minLength === "number" && value.length < minLength) return `must have at least ${minLength} characters`
    if (typeof maxLength === "number" && value.length > maxLength) return `must have at most ${maxLength} characters`
    if (format === "email" && !/^\S+@\S+$/.test(value)) return "must be an email address"
    if (format === "date" && Number.isNaN(Date.parse(value))) return "must be a date, such as 2025-03-01"
  }
  return undefined
}
