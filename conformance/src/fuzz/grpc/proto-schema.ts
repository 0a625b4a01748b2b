// The messages, enums and RPCs of the gRPC contract, read from its compiled form.
import { readFileSync } from "node:fs"
import { readFields, type WireField } from "./wire-format.ts"

/** The numbers of types in descriptor.proto. */
export const TYPE = { double: 1, int32: 5, bool: 8, text: 9, message: 11, bytes: 12, uint32: 13, enum: 14, int64: 3 }
const REPEATED = 3n

export interface ProtoField {
  readonly number: number
  readonly name: string
  readonly type: number
  /** The name of the message or enum, such as `.workflow.v1.Job`. */
  readonly typeName: string
  readonly isRepeated: boolean
}

export interface Rpc {
  readonly name: string
  readonly path: string
  readonly input: string
  readonly output: string
  readonly streams: boolean
}

export interface ProtoSchema {
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>
  readonly enums: ReadonlyMap<string, ReadonlySet<number>>
  readonly rpcs: readonly Rpc[]
}

const IMAGE = new URL("../../../../contracts/workflow/v1/engine.binpb", import.meta.url)
const SERVICE = "WorkflowEngine"

export function loadProtoSchema(): ProtoSchema {
  const messages = new Map<string, readonly ProtoField[]>()
  const enums = new Map<string, ReadonlySet<number>>()
  const rpcs: Rpc[] = []
  for (const file of all(readFields(readFileSync(IMAGE)), 1)) {
    const fields = readFields(file)
    const scope = `.${textOf(fields, 2)}`
    for (const message of all(fields, 4)) addMessage(scope, readFields(message), { messages, enums })
    for (const one of all(fields, 5)) addEnum(scope, readFields(one), enums)
    for (const service of all(fields, 6)) rpcs.push(...rpcsOf(scope.slice(1), readFields(service)))
  }
  return { messages, enums, rpcs }
}

interface Found {
  readonly messages: Map<string, readonly ProtoField[]>
  readonly enums: Map<string, ReadonlySet<number>>
}

function addMessage(scope: string, fields: readonly WireField[], found: Found): void {
  const name = `${scope}.${textOf(fields, 1)}`
  found.messages.set(
    name,
    all(fields, 2).map((field) => fieldOf(readFields(field))),
  )
  for (const nested of all(fields, 3)) addMessage(name, readFields(nested), found)
  for (const one of all(fields, 4)) addEnum(name, readFields(one), found.enums)
}

function addEnum(scope: string, fields: readonly WireField[], enums: Found["enums"]): void {
  const values = all(fields, 2).map((value) => Number(numberOf(readFields(value), 2)))
  enums.set(`${scope}.${textOf(fields, 1)}`, new Set(values))
}

const fieldOf = (fields: readonly WireField[]): ProtoField => ({
  name: textOf(fields, 1),
  number: Number(numberOf(fields, 3)),
  isRepeated: numberOf(fields, 4) === REPEATED,
  type: Number(numberOf(fields, 5)),
  typeName: textOf(fields, 6),
})

function rpcsOf(scope: string, fields: readonly WireField[]): Rpc[] {
  if (textOf(fields, 1) !== SERVICE) return []
  return all(fields, 2).map((method) => {
    const of = readFields(method)
    const name = textOf(of, 1)
    const streams = numberOf(of, 5) === 1n
    return { name, path: `/${scope}.${SERVICE}/${name}`, input: textOf(of, 2), output: textOf(of, 3), streams }
  })
}

const all = (fields: readonly WireField[], number: number): Buffer[] =>
  fields.flatMap((field) => (field.number === number ? [field.bytes] : []))
const textOf = (fields: readonly WireField[], number: number): string =>
  all(fields, number).at(-1)?.toString("utf8") ?? ""
const numberOf = (fields: readonly WireField[], number: number): bigint =>
  fields.findLast((field) => field.number === number)?.value ?? 0n
