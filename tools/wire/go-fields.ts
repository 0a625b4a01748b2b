// The Go type of a field of the contract, and the Go names of things.
import { nameOf, type Schema } from "./schema.ts"

export interface Scope {
  readonly schemas: Readonly<Record<string, Schema>>
  /** Named types that a field referred to. */
  readonly found: string[]
  /** Declarations of objects that the contract writes in place. */
  readonly inner: string[]
  readonly declare: (name: string, schema: Schema, scope: Scope) => string
}

export const typeScope = (schemas: Scope["schemas"], declare: Scope["declare"]): Scope => ({
  schemas,
  found: [],
  inner: [],
  declare,
})

/** Types that are written by hand beside the generated ones. */
const BY_HAND: Readonly<Record<string, string>> = {
  Time: "time.Time",
  Duration: "Duration",
  Variables: "Variables",
  ConditionalNextSteps: "Conditions",
  "Step.transformations": "Transformations",
  "Step.type": "StepType",
  TotalTimeout: "*StepTimeouts",
}

export interface Field {
  readonly owner: string
  readonly key: string
  readonly schema: Schema
  readonly required: boolean
}

export function goType(field: Field, scope: Scope): string {
  const { owner, key, schema } = field
  const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref)
  const byHand = BY_HAND[name ?? `${owner}.${key}`]
  if (byHand !== undefined) return byHand
  if (name !== undefined) return namedType(name, field, scope)
  if (schema.type === "array") return `[]${goType({ ...field, schema: schema.items ?? {}, required: true }, scope)}`
  if (schema.type === "object" || schema.type?.includes("object")) return objectType(field, scope)
  return plainType(field)
}

/** A named object or set of words stays named; other names are only constraints. */
function namedType(name: string, field: Field, scope: Scope): string {
  const schema = scope.schemas[name]!
  const isObject = schema.properties !== undefined || schema.allOf !== undefined || schema.discriminator !== undefined
  if (!isObject && schema.enum === undefined) return goType({ ...field, schema }, scope)
  scope.found.push(name)
  return isObject && !field.required ? `*${goName(name)}` : goName(name)
}

function objectType(field: Field, scope: Scope): string {
  const { owner, key, schema, required } = field
  const { additionalProperties: others } = schema
  const item = { ...field, key: key.replace(/ies$/, "y"), required: true }
  if (typeof others === "object") return `map[string]${goType({ ...item, schema: others }, scope)}`
  if (schema.properties === undefined) return "map[string]any"
  const name = `${owner}${goName(key)}`
  scope.inner.push(scope.declare(name, schema, scope))
  return required ? name : `*${name}`
}

const PLAIN: Readonly<Record<string, string>> = { string: "string", integer: "int", number: "float64", boolean: "bool" }

/** A pointer where absent and zero are two different things. */
function plainType({ schema, required }: Field): string {
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? [])
  const words = typeof (schema.enum?.[0] ?? schema.const) === "string"
  const named = types.find((one) => one !== "null") ?? (typeof schema.enum?.[0] === "number" ? "integer" : "")
  const type = words ? "string" : (PLAIN[named] ?? "any")
  if (type === "any" || type === "string") return types.includes("null") ? `*${type}` : type
  const optional = types.includes("null") || (!required && zeroMatters(type, schema))
  return optional ? `*${type}` : type
}

function zeroMatters(type: string, { default: usual, minimum }: Schema): boolean {
  if (type === "bool") return usual !== false
  return minimum === 0 && usual !== 0
}

const INITIALISMS: Readonly<Record<string, string>> = { id: "ID", ids: "IDs", dlq: "DLQ" }
const RENAMED: Readonly<Record<string, string>> = { CompleteNamedJob: "CompleteJob", FailNamedJob: "FailJob" }

/** `instanceId`, `retry_count` and `not-retryable` as Go names them: `InstanceID`, `RetryCount`, `NotRetryable`. */
export const goName = (name: string): string =>
  RENAMED[name] ??
  name
    .split(/[_-]|(?<=[a-z])(?=[A-Z])/)
    .map((part) => INITIALISMS[part.toLowerCase()] ?? part[0]!.toUpperCase() + part.slice(1))
    .join("")
