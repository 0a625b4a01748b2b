// Reads the fields of a protobuf message by their numbers, as far as a dispatch needs it: texts, bytes, numbers.

/** What a message says under each number; of a number that comes twice the last. */
export type ProtoFields = ReadonlyMap<number, bigint | number | Buffer>

const text = new TextDecoder("utf-8", { fatal: true })

/** Throws where it is no message. */
export function readFields(message: Buffer): ProtoFields {
  const reader = new Reader(message)
  const fields = new Map<number, bigint | number | Buffer>()
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint())
    const value = reader.value(tag & 7)
    if (tag >> 3 < 1) throw new RangeError("a field without a number")
    fields.set(tag >> 3, value)
  }
  return fields
}

export function textField(fields: ProtoFields, number: number): string {
  const value = fields.get(number)
  return Buffer.isBuffer(value) ? text.decode(value) : ""
}

export function bytesField(fields: ProtoFields, number: number): Buffer {
  const value = fields.get(number)
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

export function int32Field(fields: ProtoFields, number: number): number {
  const value = fields.get(number)
  return typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : 0
}

export function doubleField(fields: ProtoFields, number: number): number {
  const value = fields.get(number)
  return typeof value === "number" ? value : 0
}

export const boolField = (fields: ProtoFields, number: number): boolean => int32Field(fields, number) !== 0

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError("a number of more than ten bytes")
  }

  value(wireType: number): bigint | number | Buffer {
    if (wireType === 0) return this.varint()
    if (wireType === 1) return this.#take(8).readDoubleLE()
    if (wireType === 2) return this.#take(Number(this.varint()))
    if (wireType === 5) return this.#take(4).readFloatLE()
    throw new RangeError(`wire type ${wireType} is none of a message's`)
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError("the message ends inside a field")
    const part = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return part
  }
}
