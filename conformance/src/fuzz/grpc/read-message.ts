// Reads a message of an answer as the contract has it, and strictly: nothing may be in it that the contract does not name.
import { camel } from "../values/memory.ts"
import { type ProtoField, type ProtoSchema, TYPE } from "./proto-schema.ts"
import { BYTES, FIXED64, readFields, VARINT, type WireField } from "./wire-format.ts"

const UTF8 = new TextDecoder("utf-8", { fatal: true })

/** Throws what is wrong with it. */
export function readMessage(schema: ProtoSchema, type: string, bytes: Buffer): Record<string, unknown> {
  const known = schema.messages.get(type)
  if (!known) throw new Error(`there is no message ${type}`)
  const read: Record<string, unknown> = {}
  for (const field of readFields(bytes)) {
    const meant = known.find(({ number }) => number === field.number)
    if (!meant) throw new Error(`${type} has no field ${field.number}`)
    const name = camel(meant.name)
    const value = fieldValue(schema, meant, field)
    read[name] = meant.isRepeated ? [...((read[name] as unknown[] | undefined) ?? []), value] : value
  }
  return read
}

function fieldValue(schema: ProtoSchema, { type, typeName, name }: ProtoField, field: WireField): unknown {
  const expected = type === TYPE.double ? FIXED64 : isBytes(type) ? BYTES : VARINT
  if (field.type !== expected) throw new Error(`${name} has the wire type ${field.type}`)
  if (type === TYPE.text) return UTF8.decode(field.bytes)
  if (type === TYPE.message) return readMessage(schema, typeName, field.bytes)
  if (type === TYPE.double) return field.bytes.readDoubleLE()
  if (type === TYPE.bytes) return field.bytes
  const value = Number(BigInt.asIntN(64, field.value))
  if (type === TYPE.enum && !schema.enums.get(typeName)?.has(value))
    throw new Error(`${name} is ${value}, which is not in ${typeName}`)
  return type === TYPE.bool ? value === 1 : value
}

const isBytes = (type: number): boolean => type === TYPE.text || type === TYPE.message || type === TYPE.bytes
