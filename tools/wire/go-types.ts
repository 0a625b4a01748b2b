// A schema of the contract as Go: structs for objects, named strings for words, plain types for the rest.
import { type Field, goName, goType, type Scope, typeScope } from "./go-fields.ts"
import { nameOf, type Schema } from "./schema.ts"

/** Declarations of `names` and of everything they refer to, in the order of the contract. */
export function goDeclarations(schemas: Scope["schemas"], names: readonly string[]): string[] {
  const scope = typeScope(schemas, goStruct)
  const wanted = new Set(names)
  const done = new Map<string, string>()
  for (const name of wanted) {
    done.set(name, goDeclaration(name, schemas[name]!, scope))
    for (const found of scope.found.splice(0)) wanted.add(found)
  }
  const order = Object.keys(schemas)
  const declared = [...done].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).map(([, text]) => text)
  return [...declared, ...scope.inner]
}

function goDeclaration(name: string, schema: Schema, scope: Scope): string {
  const head = goComment(schema, goName(name))
  if (schema.enum !== undefined) return `${head}type ${goName(name)} string\n\n${goWords(goName(name), schema.enum)}`
  return `${head}${goStruct(goName(name), flattened(schema, scope), scope)}`
}

/** Fields stand apart by empty lines: there gofmt has nothing to align. */
function goStruct(name: string, schema: Schema, scope: Scope): string {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {})
    .filter(([, field]) => !field.description?.startsWith("Another name of"))
    .map(([key, field]) => goField({ owner: name, key, schema: field, required: required.has(key) }, scope))
  return `type ${name} struct {\n${fields.join("\n\n")}\n}`
}

function goField(field: Field, scope: Scope): string {
  const { key, schema, required } = field
  const tag = required ? key : `${key},omitzero`
  const comment = goComment(schema).replaceAll(/^(?=.)/gm, "\t")
  return `${comment}\t${goName(key)} ${goType(field, scope)} \`json:"${tag}"\``
}

const goWords = (type: string, words: readonly (string | number)[]): string =>
  `const (\n${words.map((word) => `\t${type}${wordName(String(word))} ${type} = "${word}"`).join("\n\n")}\n)`

const wordName = (word: string): string => goName(word === word.toUpperCase() ? word.toLowerCase() : word)

/** A union has the fields of all its parts, an extension those of its parents. */
function flattened(schema: Schema, scope: Scope): Schema {
  const parts = schema.allOf ?? schema.oneOf
  if (parts === undefined) return schema
  const all = parts.map((part) => flattened(part.$ref === undefined ? part : scope.schemas[nameOf(part.$ref)]!, scope))
  const required = schema.oneOf ? common(all) : all.flatMap((part) => part.required ?? [])
  const properties: Record<string, Schema> = {}
  for (const [key, field] of all.flatMap((part) => Object.entries(part.properties ?? {}))) properties[key] ??= field
  return { ...schema, properties, required }
}

const common = (parts: readonly Schema[]): string[] =>
  (parts[0]?.required ?? []).filter((name) => parts.every((part) => part.required?.includes(name)))

function goComment({ description, default: usual }: Schema, name?: string): string {
  const text = [description?.trim(), usual === undefined ? undefined : `Default: ${JSON.stringify(usual)}.`]
  const lines = text.filter((part) => part !== undefined && part !== "").join("\n")
  if (lines === "") return name === undefined ? "" : `// ${name} is a schema of the contract.\n`
  return `${name === undefined ? lines : `${name}: ${lines}`}\n`.replaceAll(/^(?=.)/gm, "// ")
}
