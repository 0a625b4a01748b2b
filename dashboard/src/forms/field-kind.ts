// Decides how a property of a schema is drawn. What has no drawing is typed as JSON.
import type { JsonSchema } from "./json-schema.ts"

export type FieldKind =
  | "text"
  | "long-text"
  | "date"
  | "email"
  | "choice"
  | "number"
  | "integer"
  | "boolean"
  | "list"
  | "group"
  | "json"

/** A text that may be longer than this gets a box of several lines. */
const LINE_LENGTH = 200

export function fieldKind(schema: JsonSchema): FieldKind {
  if (choicesOf(schema).length > 0) return "choice"
  switch (schema.type) {
    case "string":
      return textKind(schema)
    case "number":
    case "integer":
    case "boolean":
      return schema.type
    case "array":
      return ["group", "list", "json"].includes(fieldKind(itemsOf(schema))) ? "json" : "list"
    case "object":
      return Object.keys(propertiesOf(schema)).length > 0 ? "group" : "json"
    default:
      return "json"
  }
}

function textKind({ format, maxLength }: JsonSchema): FieldKind {
  if (format === "date" || format === "email") return format
  return format === "textarea" || (typeof maxLength === "number" && maxLength > LINE_LENGTH) ? "long-text" : "text"
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

export const propertiesOf = ({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(recordOf(properties)).map(([name, property]) => [name, recordOf(property)]))

export const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === "string") : []

export const itemsOf = ({ items }: JsonSchema): JsonSchema => recordOf(items)

/** What an `enum` allows; only what can be shown as a line of a list. */
export const choicesOf = ({ enum: allowed }: JsonSchema): readonly (string | number)[] =>
  Array.isArray(allowed) && allowed.every((one) => typeof one === "string" || typeof one === "number") ? allowed : []

export const textOf = (schema: JsonSchema, name: "title" | "description"): string | undefined => {
  const text = schema[name]
  return typeof text === "string" && text !== "" ? text : undefined
}

/** What a form begins with: the schema's defaults, and over them what is known already. */
export function initialValue(
  schema: JsonSchema,
  known: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const defaults = Object.entries(propertiesOf(schema)).flatMap(([name, property]): [string, unknown][] => {
    if (property.default !== undefined) return [[name, property.default]]
    const inner = fieldKind(property) === "group" ? initialValue(property) : {}
    return Object.keys(inner).length > 0 ? [[name, inner]] : []
  })
  const named = Object.entries(known).filter(([name]) => Object.hasOwn(propertiesOf(schema), name))
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(named) }
}
