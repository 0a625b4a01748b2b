// sdks/typescript/src/generated/kinds.ts: of which kind each field is that a request over gRPC carries, from contracts/openapi.yaml.
import { GRPC_OPERATIONS } from "../../sdks/typescript/src/grpc/grpc-operations.ts"
import { closedProperties } from "./field-table.ts"
import { type Contract, nameOf, type Route, routesOf, type Schema } from "./schema.ts"

type Kinds = Readonly<Record<string, string>>

export function kindTable(contract: Contract): string {
  const kinds = new Map<string, Kinds>()
  for (const route of routesOf(contract)) {
    const { operationId, requestBody } = route.operation
    if (!GRPC_OPERATIONS.has(operationId as never)) continue
    const query = queryOf(route, contract, kinds)
    if (Object.keys(query).length > 0) kinds.set(operationId, query)
    kindOf(requestBody?.content?.["application/json"]?.schema ?? {}, contract, kinds)
  }
  return `/**
 * By the name of a shape, or of an operation for its query, the kind of each field: \`text\`, \`flag\`, \`moment\`, \`duration\`,
 * \`object\`, \`words\` and \`strings\` with which or how many there are, \`whole\` and \`number\` with their bounds, or the name of a shape; a list of these has \`[]\` behind, a map of these \`{}\`.
 */
export const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(Object.fromEntries(kinds))}`
}

function queryOf({ parameters }: Route, contract: Contract, kinds: Map<string, Kinds>): Kinds {
  const query = parameters.filter((one) => one.in === "query")
  return Object.fromEntries(query.map(({ name, schema }) => [name, kindOf(schema, contract, kinds)]))
}

function kindOf(schema: Schema, contract: Contract, kinds: Map<string, Kinds>): string {
  if (schema.$ref !== undefined) return kindOfNamed(nameOf(schema.$ref), contract, kinds)
  if (schema.items !== undefined) return listKind(schema, kindOf(schema.items, contract, kinds))
  if (typeof schema.additionalProperties === "object")
    return `${kindOf(schema.additionalProperties, contract, kinds)}{}`
  if (schema.enum !== undefined) return `words ${schema.enum.join(" ")}`
  if (schema.const !== undefined) return "text"
  return simpleKind(schema)
}

/** Of strings in their number the engine says all in one sentence. */
const listKind = ({ minItems = 0, maxItems }: Schema, kind: string): string =>
  kind === "text" && maxItems !== undefined ? `strings ${minItems} ${maxItems}` : `${kind}[]`

function kindOfNamed(name: string, contract: Contract, kinds: Map<string, Kinds>): string {
  const target = contract.components.schemas[name] ?? {}
  // A schema of variables is any object on this wire: the engine looks into it.
  if (name === "VariableSchema") return "object"
  if (name === "Duration") return "duration"
  const properties = propertiesOf(target, contract)
  if (properties === undefined) return kindOf(target, contract, kinds)
  if (kinds.has(name)) return name
  kinds.set(name, {})
  const fields = Object.entries(properties).map(([field, inner]) => [field, kindOf(inner, contract, kinds)])
  kinds.set(name, Object.fromEntries(fields))
  return name
}

/** A message has one type for a field, whatever the parts say: the first tells the most. */
function propertiesOf(schema: Schema, contract: Contract): Readonly<Record<string, Schema>> | undefined {
  const parts = (schema.oneOf ?? schema.allOf ?? [schema]).map((part) => closedProperties(part, contract))
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts.reverse())
}

function simpleKind({ type, format, minimum, maximum }: Schema): string {
  if (type === "string") return format === "date-time" ? "moment" : "text"
  if (type === "boolean") return "flag"
  if (type !== "integer" && type !== "number") return "object"
  const bounds = maximum === undefined ? "" : ` ${minimum} ${maximum}`
  return `${type === "integer" ? "whole" : "number"}${bounds}`
}
