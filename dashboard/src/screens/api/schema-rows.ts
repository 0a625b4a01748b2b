// A schema of the contract as rows: a name, a type in a few words, what else holds, and what is inside.
import type { Contract, Schema } from "../../api/contract.ts"
import { follow } from "./operations.ts"

export interface Row {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly note: string
  /** What can be looked into: the object, the object of a list, one of several. */
  readonly inner: readonly Inner[]
}

export interface Inner {
  readonly name: string
  readonly schema: Schema
}

export function rowsOf(contract: Contract, schema: Schema): Row[] {
  const { properties = {}, required = [] } = merged(contract, schema)
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeText(contract, property),
    isRequired: required.includes(name),
    note: noteOf(contract, property),
    inner: innerOf(contract, property),
  }))
}

/** Followed, with the parts of an `allOf` laid together. */
export function merged(contract: Contract, schema: Schema): Schema {
  const found = follow(contract, schema)
  const parts = (found.allOf ?? []).map((part) => merged(contract, part))
  if (parts.length === 0) return found
  const all = [...parts, found]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties ?? {})),
    required: all.flatMap(({ required = [] }) => required),
    allOf: undefined,
  }
}

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1)

export function typeText(contract: Contract, schema: Schema): string {
  const found = merged(contract, schema)
  const choices = found.oneOf ?? found.anyOf
  if (found.const !== undefined) return JSON.stringify(found.const)
  if (found.enum) return found.enum.map((one) => JSON.stringify(one)).join(" | ")
  if (choices) return choices.map((choice) => nameOf(choice) ?? typeText(contract, choice)).join(" | ")
  if (found.type === "array") return `list of ${typeText(contract, found.items ?? {})}`
  if (isObject(found)) return nameOf(schema) ?? mapText(contract, found)
  return [found.type ?? "any"].flat().join(" | ")
}

const isObject = ({ type, properties, additionalProperties }: Schema): boolean =>
  type === "object" || properties !== undefined || typeof additionalProperties === "object"

const mapText = (contract: Contract, { additionalProperties: values }: Schema): string =>
  typeof values === "object" ? `map of ${typeText(contract, values)}` : "object"

export function innerOf(contract: Contract, schema: Schema): readonly Inner[] {
  const found = merged(contract, schema)
  const choices = found.oneOf ?? found.anyOf
  if (choices) return choices.flatMap((choice) => innerOf(contract, choice))
  if (found.type === "array") return innerOf(contract, found.items ?? {})
  if (Object.keys(found.properties ?? {}).length > 0) return [{ name: nameOf(schema) ?? "object", schema: found }]
  return typeof found.additionalProperties === "object" ? innerOf(contract, found.additionalProperties) : []
}

function noteOf(contract: Contract, schema: Schema): string {
  const found = merged(contract, schema)
  const limits = [
    range(found.minimum, found.maximum, ""),
    range(found.minLength, found.maxLength, " characters"),
    range(found.minItems, found.maxItems, " entries"),
    found.default === undefined ? "" : `${JSON.stringify(found.default)} when absent`,
  ].filter(Boolean)
  return [schema.description ?? found.description, limits.join("; ")].filter(Boolean).join(" ")
}

function range(least: number | undefined, most: number | undefined, of: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${of}`
  if (most !== undefined) return `at most ${most}${of}`
  return least !== undefined && least > 0 ? `at least ${least}${of}` : ""
}
