// A schema of the contract as TypeScript: interfaces for objects, unions for words, aliases for the rest.
import { nameOf, type Schema } from "./schema.ts"

type Schemas = Readonly<Record<string, Schema>>

/** `export interface Instance { … }`, or a type where it is not an object with fields of its own. */
export function declarationOf(name: string, schemas: Schemas): string {
  const schema = schemas[name]!
  const head = comment(schema)
  if (schema.allOf !== undefined) return `${head}export interface ${name} ${extended(schema.allOf, schemas)}`
  if (schema.properties !== undefined) return `${head}export interface ${name} ${objectOf(schema)}`
  return `${head}export type ${name} = ${typeOf(schema)}`
}

/** The type of a value, written where it is used. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(" | ")
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(" | ")
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(" & ")
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["unknown"])
  return types.map((type) => typeNamed(type, schema)).join(" | ")
}

function typeNamed(type: string, schema: Schema): string {
  if (type === "integer") return "number"
  if (type === "array") return arrayOf(typeOf(schema.items ?? {}))
  return type === "object" ? objectOf(schema) : type
}

const arrayOf = (item: string): string => (/^[\w.]+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`)

function objectOf(schema: Schema): string {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) =>
    fieldOf({ name, schema: inner, required: required.has(name) }),
  )
  return `{\n${[...fields, ...otherFields(schema)].join("\n")}\n}`
}

/** An object that says nothing of its fields may have any. Beside an optional field any other may be missing too, or TypeScript objects. */
function otherFields({ properties, required = [], additionalProperties }: Schema): string[] {
  const hasOptional = Object.keys(properties ?? {}).some((name) => !required.includes(name))
  if (typeof additionalProperties === "object")
    return [`readonly [name: string]: ${typeOf(additionalProperties)}${hasOptional ? " | undefined" : ""}`]
  return additionalProperties === true || properties === undefined ? ["readonly [name: string]: unknown"] : []
}

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

export const fieldOf = ({ name, schema, required }: Field): string =>
  `${comment(schema)}readonly ${name}${required ? "" : "?"}: ${typeOf(schema)}`

/** `extends A, B { … }`; a field of theirs that becomes required here is written again. */
function extended(parts: readonly Schema[], schemas: Schemas): string {
  const parents = parts.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)]))
  const inherited = Object.assign({}, ...parents.map((parent) => schemas[parent]!.properties)) as Schemas
  const own = parts.filter(({ $ref }) => $ref === undefined)
  const required = own.flatMap((part) => part.required ?? [])
  const properties = Object.assign({}, ...own.map((part) => part.properties)) as Schemas
  const again = required.filter((name) => properties[name] === undefined).map((name) => [name, inherited[name]!])
  const body = objectOf({ properties: { ...Object.fromEntries(again), ...properties }, required })
  return `extends ${parents.join(", ")} ${body}`
}

function comment({ description, default: usual }: Schema): string {
  const text = [description?.trim(), usual === undefined ? undefined : `Default: ${JSON.stringify(usual)}.`]
  const lines = text
    .filter((part) => part !== undefined)
    .join("\n")
    .replaceAll("*/", "*\\/")
    .split("\n")
  if (lines[0] === "") return ""
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */\n`
}
