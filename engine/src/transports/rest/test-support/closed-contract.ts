// The contract with its objects closed: a field that it does not name is a fault. Clients must ignore such fields; our server
// must not send them.

type Json = Readonly<Record<string, unknown>>
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

const SCHEMAS = "#/components/schemas/"
const CLOSED = "#/components/closed/"

/**
 * Each schema stands there twice: under `schemas` with its own top left open, for an `allOf` that adds fields to it, and under
 * `closed` for every other use.
 */
export function closedContract<D extends Document>(document: D): D {
  const { schemas, ...components } = document.components
  const open = Object.entries(schemas).map(([name, schema]) => [name, within(schema)] as const)
  const closed = open.map(([name, schema]) => [name, sealed(schema, `${SCHEMAS}${name}`)] as const)
  return {
    ...(walk(document) as D),
    components: {
      ...(walk(components) as Json),
      schemas: Object.fromEntries(open),
      closed: Object.fromEntries(closed),
    },
  }
}

/** Goes through the document down to the schemas in it. */
function walk(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(walk)
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === "schema" ? use(value) : walk(value)]),
  )
}

/** A schema where a value is described by it alone. */
function use(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const inner = within(schema)
  return namesFields(inner) ? { ...inner, unevaluatedProperties: false } : inner
}

/** A schema with all that it holds closed, and its own top as it is. */
function within(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, part(key, value)]))
}

function part(key: string, value: unknown): unknown {
  if (key === "$ref") return String(value).replace(SCHEMAS, CLOSED)
  if (key === "allOf") return (value as Json[]).map(openPart)
  if (key === "oneOf") return (value as Json[]).map(use)
  if (key === "properties")
    return Object.fromEntries(Object.entries(value as Json).map(([name, one]) => [name, use(one)]))
  return key === "items" || key === "additionalProperties" ? use(value) : value
}

const openPart = (schema: Json): Json => (schema.$ref === undefined ? within(schema) : schema)

const sealed = (schema: Json, $ref: string): Json =>
  namesFields(schema) ? { $ref, unevaluatedProperties: false } : { $ref }

/** One that says nothing of its fields may have any; one that says what others may be is closed by its own word. */
const namesFields = (schema: Json): boolean =>
  (schema.properties !== undefined || schema.allOf !== undefined) && schema.additionalProperties === undefined

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
