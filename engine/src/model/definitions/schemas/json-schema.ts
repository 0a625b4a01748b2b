// Judges a JSON value by a JSON Schema, by the keywords that can be judged quickly and surely. It errs on one side: a keyword it does not
// know, such as `pattern` or `format`, lets the value pass, and what passes is judged once more by the workflow's own validator.
import type { Violation } from "../../../support/errors.ts"
import { isObject, type JsonObject, type JsonValue } from "../../../support/json.ts"
import { kindOf } from "../expressions/kind-of.ts"
import { child } from "../json-path.ts"

/** Schemas can refer to themselves: after so many of them, or so many one inside the other, the value passes. */
const MOST_VISITS = 10_000
const DEEPEST = 200
const MOST_VIOLATIONS = 100

export function checkJsonSchema(schema: unknown, value: JsonValue, path: string): Violation[] {
  let visits = 0
  let depth = 0
  const check: Check = (part, inner, at) => {
    visits += 1
    if (part === false) return [{ path: at, message: "is not allowed here", hint: "leave it out" }]
    if (!isObject(part) || visits > MOST_VISITS || depth > DEEPEST) return []
    depth += 1
    const target = typeof part.$ref === "string" ? check(resolve(schema, part.$ref), inner, at) : []
    const own = KEYWORDS.flatMap((keyword) => keyword(part, { value: inner, at, check }))
    depth -= 1
    return [...target, ...own]
  }
  return check(schema, value, path).slice(0, MOST_VIOLATIONS)
}

type Schema = Record<string, unknown>
type Check = (schema: unknown, value: JsonValue, at: string) => Violation[]

interface Judged {
  readonly value: JsonValue
  readonly at: string
  readonly check: Check
}

type Keyword = (schema: Schema, judged: Judged) => Violation[]

/** Only within the schema itself: `#/$defs/order`. Anything else lets the value pass. */
function resolve(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return true
  const keys = ref
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
  return keys.reduce<unknown>((part, key) => (isObject(part) && Object.hasOwn(part, key) ? part[key] : true), root)
}

const types: Keyword = ({ type }, { value, at }) => {
  const wanted = [type].flat().filter((word) => typeof word === "string")
  if (wanted.length === 0 || wanted.some((word) => isOfType(word, value))) return []
  const found = typeof value === "number" && wanted.includes("integer") ? "a fraction" : kindOf(value)
  return [
    {
      path: at,
      message: `must be ${wanted.join(" or ")}, not ${found}`,
      hint: "values are not converted: send this type",
    },
  ]
}

function isOfType(type: string, value: JsonValue): boolean {
  if (type === "integer") return Number.isInteger(value)
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "null") return value === null
  return typeof value === type
}

/** Texts, numbers, true, false and null; what is made of them passes. */
const words: Keyword = (schema, { value, at }) => {
  const allowed = Object.hasOwn(schema, "const") ? [schema.const] : schema.enum
  if (!Array.isArray(allowed) || allowed.some((one) => Object(one) === one) || allowed.includes(value)) return []
  const list = allowed.map((one) => JSON.stringify(one)).join(", ")
  return [{ path: at, message: `must be one of ${list}`, hint: "send one of these values" }]
}

const BOUNDS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  minimum: (value, bound) => value >= bound,
  maximum: (value, bound) => value <= bound,
  exclusiveMinimum: (value, bound) => value > bound,
  exclusiveMaximum: (value, bound) => value < bound,
}

const bounds: Keyword = (schema, { value, at }) => {
  if (typeof value !== "number") return []
  return Object.entries(BOUNDS).flatMap(([name, holds]) => {
    const bound = schema[name]
    return typeof bound !== "number" || holds(value, bound) ? [] : [{ path: at, message: `breaks ${name} ${bound}` }]
  })
}

/** Validators count characters in two ways: what is too short or too long by both is refused. */
const lengths: Keyword = ({ minLength, maxLength, minItems, maxItems }, { value, at }) => {
  const [least, most] = Array.isArray(value) ? [minItems, maxItems] : [minLength, maxLength]
  if (typeof value !== "string" && !Array.isArray(value)) return []
  if (typeof least === "number" && value.length < least)
    return [{ path: at, message: `has ${value.length}, and needs at least ${least}` }]
  const shortest = [...value].length
  if (typeof most === "number" && shortest > most)
    return [{ path: at, message: `has ${shortest}, and may have ${most}` }]
  return []
}

const items: Keyword = ({ prefixItems, items: rest = true }, { value, at, check }) => {
  if (!Array.isArray(value)) return []
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : []
  return value.flatMap((item, index) => check(index < first.length ? first[index] : rest, item, child(at, index)))
}

const properties: Keyword = (schema, { value, at, check }) => {
  if (!isObject(value)) return []
  const known = isObject(schema.properties) ? schema.properties : {}
  const missing = namesOf(schema.required)
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: child(at, name), message: "is required", hint: `add \`${name}\`` }))
  const others = isObject(schema.patternProperties) ? true : (schema.additionalProperties ?? true)
  const inner = Object.entries(value as JsonObject).flatMap(([name, each]) =>
    check(Object.hasOwn(known, name) ? known[name] : others, each, child(at, name)),
  )
  return [...missing, ...inner]
}

const namesOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((name): name is string => typeof name === "string") : []

/** One of several schemas must fit. If none does, the violations of the closest one are reported. */
const alternatives: Keyword = ({ anyOf, oneOf }, { value, at, check }) =>
  [anyOf, oneOf].flatMap((list) => {
    if (!Array.isArray(list) || list.length === 0) return []
    const found = list.map((one) => check(one, value, at))
    return found.reduce((best, one) => (one.length < best.length ? one : best))
  })

const all: Keyword = ({ allOf }, { value, at, check }) =>
  (Array.isArray(allOf) ? allOf : []).flatMap((one) => check(one, value, at))

const KEYWORDS: readonly Keyword[] = [types, words, bounds, lengths, items, properties, alternatives, all]
