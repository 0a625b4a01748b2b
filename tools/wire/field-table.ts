// sdks/typescript/src/generated/fields.ts: which fields each request may have, from contracts/openapi.yaml.
import { type Contract, nameOf, type Route, routesOf, type Schema } from "./schema.ts"

/** Over REST the engine refuses unknown fields of definitions itself, with every violation at once. */
const CHECKED_BY_THE_ENGINE = new Set(["Definition"])

type Fields = Readonly<Record<string, string>>

export function fieldTable(contract: Contract): string {
  const shapes = new Map<string, Fields>()
  const routes = routesOf(contract)
  const bodies = routes.flatMap((route) => {
    const name = addShape(bodyOf(route), contract, shapes)
    return name === "" || CHECKED_BY_THE_ENGINE.has(name) ? [] : [[route.operation.operationId, name] as const]
  })
  const queries = routes.flatMap(queryOf)
  return `import type { Operations } from "./wire.ts"

type ByOperation<T> = Readonly<Partial<Record<keyof Operations, T>>>
type Fields = Readonly<Record<string, string>>

/** The shape of every body whose fields are all known. */
export const BODY_SHAPES: ByOperation<string> = ${JSON.stringify(Object.fromEntries(bodies))}

export const QUERY_FIELDS: ByOperation<Fields> = ${JSON.stringify(Object.fromEntries(queries))}

/** By the name of a field, the shape of what it holds; "" where that is the caller's own or no object. */
export const SHAPES: Readonly<Record<string, Fields>> = ${JSON.stringify(Object.fromEntries(shapes))}`
}

const bodyOf = ({ operation }: Route): Schema => operation.requestBody?.content?.["application/json"]?.schema ?? {}

function queryOf({ operation, parameters }: Route): (readonly [string, Fields])[] {
  const names = parameters.filter((one) => one.in === "query").map(({ name }) => [name, ""])
  return names.length === 0 ? [] : [[operation.operationId, Object.fromEntries(names)]]
}

/** The name under which the shape of a schema is in the table; "" where it has none. */
function addShape(schema: Schema, contract: Contract, shapes: Map<string, Fields>): string {
  if (schema.items !== undefined) return addShape(schema.items, contract, shapes)
  if (schema.$ref === undefined) return ""
  const name = nameOf(schema.$ref)
  if (shapes.has(name)) return name
  const target = contract.components.schemas[name] ?? {}
  if (target.items !== undefined) return addShape(target.items, contract, shapes)
  const properties = closedProperties(target, contract)
  if (properties === undefined) return ""
  shapes.set(name, {})
  const fields = Object.entries(properties).map(([field, inner]) => [field, addShape(inner, contract, shapes)])
  shapes.set(name, Object.fromEntries(fields))
  return name
}

type Properties = Readonly<Record<string, Schema>>

/** Undefined where other fields are allowed, or where it is no object. */
export function closedProperties(schema: Schema, contract: Contract): Properties | undefined {
  if (schema.$ref !== undefined)
    return closedProperties(contract.components.schemas[nameOf(schema.$ref)] ?? {}, contract)
  const parts = schema.allOf ?? schema.oneOf
  if (parts !== undefined) return merged(parts.map((part) => closedProperties(part, contract)))
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  return open ? undefined : schema.properties
}

/** A field that has several shapes is not looked into. */
function merged(parts: readonly (Properties | undefined)[]): Properties | undefined {
  if (parts.includes(undefined)) return undefined
  const fields: Record<string, Schema> = {}
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part ?? {})))
    fields[name] = fields[name] === undefined || sameShape(fields[name], schema) ? schema : {}
  return fields
}

const sameShape = (one: Schema, other: Schema): boolean =>
  one.$ref === other.$ref && one.items?.$ref === other.items?.$ref
