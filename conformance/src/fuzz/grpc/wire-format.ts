// The wire format of Protocol Buffers, read and written field by field.

export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
const FIXED32 = 5

export interface WireField {
  readonly number: number
  readonly type: number
  /** The value of a varint. */
  readonly value: bigint
  /** The bytes of every other type. */
  readonly bytes: Buffer
}

const NONE = Buffer.alloc(0)
const SIZES: Readonly<Record<number, number>> = { [FIXED64]: 8, [FIXED32]: 4 }

/** Throws where the bytes are not whole fields. */
export function readFields(bytes: Buffer): WireField[] {
  const fields: WireField[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at)
    const number = Number(tag.value >> 3n)
    const type = Number(tag.value & 7n)
    const { value, next } = type === VARINT ? readVarint(bytes, tag.next) : { value: 0n, next: tag.next }
    const body = type === VARINT ? { bytes: NONE, next } : readBytes(bytes, tag.next, type)
    fields.push({ number, type, value, bytes: body.bytes })
    at = body.next
  }
  return fields
}

function readVarint(bytes: Buffer, from: number): { value: bigint; next: number } {
  let value = 0n
  for (let at = from; at < from + 10; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new Error("a number is cut off")
    value |= BigInt(byte & 127) << BigInt(7 * (at - from))
    if (byte < 128) return { value, next: at + 1 }
  }
  throw new Error("a number is too long")
}

function readBytes(bytes: Buffer, from: number, type: number): { bytes: Buffer; next: number } {
  const length = type === BYTES ? readVarint(bytes, from) : { value: BigInt(SIZES[type] ?? -1), next: from }
  if (length.value < 0n) throw new Error(`the wire type ${type}`)
  const next = length.next + Number(length.value)
  if (next > bytes.length) throw new Error("a field is cut off")
  return { bytes: bytes.subarray(length.next, next), next }
}

export function writeVarint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

export const writeTag = (number: number, type: number): Buffer => writeVarint(BigInt(number * 8 + type))

export const writeBytes = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([writeTag(number, BYTES), writeVarint(BigInt(bytes.length)), bytes])

export const writeNumber = (number: number, value: bigint): Buffer =>
  Buffer.concat([writeTag(number, VARINT), writeVarint(value)])

export function writeDouble(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([writeTag(number, FIXED64), bytes])
}

/** The bytes in front of a message in a gRPC frame: a flag, and the length of the message. */
export const HEAD = 5

/** A message in the frame of gRPC. */
export function framed(message: Buffer, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUInt8(flag, 0)
  head.writeUInt32BE(length >>> 0, 1)
  return Buffer.concat([head, message])
}
