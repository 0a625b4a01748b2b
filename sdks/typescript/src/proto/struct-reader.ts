// Reads google.protobuf.Struct or Value into a plain value, as JSON.parse would make it; refuses what JSON has no word for.
import type { BinaryReader, WireType } from "@bufbuild/protobuf/wire"
import { utf8Text } from "./utf8.ts"

/** More than any limit of the engine; it only keeps a hostile message from exhausting the stack. */
const MAX_DEPTH = 100

/** Tags: field number and wire type in one byte. */
const [ENTRY, KEY, VALUE, ITEM] = [0x0a, 0x0a, 0x12, 0x0a]
const [NULL, NUMBER, STRING, BOOL, STRUCT, LIST] = [0x08, 0x11, 0x1a, 0x20, 0x2a, 0x32]

type Plain = { [key: string]: unknown }

export class StructReader {
  readonly #reader: BinaryReader
  readonly #bytes: Buffer
  readonly #end: number
  #depth = 0

  constructor(reader: BinaryReader, length: number) {
    this.#reader = reader
    // The reader keeps its bytes to itself in its types only.
    const { buf } = reader as unknown as { buf: Uint8Array }
    this.#bytes = Buffer.from(buf.buffer, buf.byteOffset, buf.byteLength)
    this.#end = this.#checked(reader.pos + length)
  }

  struct(): Plain {
    return this.#struct(this.#end)
  }

  value(): unknown {
    return this.#value(this.#end)
  }

  #struct(end: number): Plain {
    this.#enter()
    const found: Plain = {}
    while (this.#reader.pos < end) {
      const tag = this.#reader.uint32()
      if (tag === ENTRY) this.#entry(this.#inner(), found)
      else this.#skip(tag)
    }
    this.#leave(end)
    return found
  }

  #entry(end: number, into: Plain): void {
    let key = ""
    let value: unknown = null
    while (this.#reader.pos < end) {
      const tag = this.#reader.uint32()
      if (tag === KEY) key = this.#string()
      else if (tag === VALUE) value = this.#value(this.#inner())
      else this.#skip(tag)
    }
    // Does the same as JSON.parse: defines a field of that name, and does not set the prototype.
    if (key === "__proto__")
      Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true })
    else into[key] = value
  }

  #value(end: number): unknown {
    let value: unknown = null
    while (this.#reader.pos < end) value = this.#kind(this.#reader.uint32(), value)
    return value
  }

  #kind(tag: number, before: unknown): unknown {
    if (tag === STRING) return this.#string()
    if (tag === NUMBER) return this.#number()
    if (tag === BOOL) return this.#reader.bool()
    if (tag === STRUCT) return this.#struct(this.#inner())
    if (tag === LIST) return this.#list(this.#inner())
    this.#skip(tag)
    return tag === NULL ? null : before
  }

  #list(end: number): unknown[] {
    this.#enter()
    const items: unknown[] = []
    while (this.#reader.pos < end) {
      const tag = this.#reader.uint32()
      if (tag === ITEM) items.push(this.#value(this.#inner()))
      else this.#skip(tag)
    }
    this.#leave(end)
    return items
  }

  #string(): string {
    const end = this.#inner()
    const text = utf8Text(this.#bytes, this.#reader.pos, end)
    this.#reader.pos = end
    return text
  }

  #number(): number {
    const value = this.#reader.double()
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no number of JSON`)
    // JSON writes -0 as 0.
    return value + 0
  }

  #skip(tag: number): void {
    this.#reader.skip((tag & 7) as WireType, tag >>> 3)
  }

  /** Where a length-delimited value ends. */
  #inner(): number {
    const length = this.#reader.uint32()
    return this.#checked(this.#reader.pos + length)
  }

  #checked(end: number): number {
    if (end > this.#bytes.length) throw new RangeError("the message is cut off")
    return end
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new RangeError("the value is nested too deeply")
  }

  #leave(end: number): void {
    this.#depth--
    if (this.#reader.pos !== end) throw new RangeError("the message is cut off")
  }
}
