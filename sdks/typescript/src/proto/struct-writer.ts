// Writes a plain value as google.protobuf.Struct or Value, as JSON.stringify would take it: what is undefined is left out.

/** Tags: field number and wire type in one byte. */
const [ENTRY, KEY, VALUE, ITEM] = [0x0a, 0x0a, 0x12, 0x0a]
const [NULL, NUMBER, STRING, BOOL, STRUCT, LIST] = [0x08, 0x11, 0x1a, 0x20, 0x2a, 0x32]

const FIRST_BYTES = 1_024
const SHORT = 32
/** Where the value goes round in a circle, this ends it. A level of the value is two or three of the message. */
const MAX_DEPTH = 500

export class StructWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES)
  #at = 0
  #depth = 0

  struct(value: object): Uint8Array {
    const fields = jsonOf(value)
    if (typeof fields !== "object" || fields === null || Array.isArray(fields))
      throw new TypeError("what is no object of variables cannot be sent as one")
    this.#fields(fields as Record<string, unknown>)
    return this.#buffer.subarray(0, this.#at)
  }

  value(value: unknown): Uint8Array {
    this.#value(jsonOf(value) ?? null)
    return this.#buffer.subarray(0, this.#at)
  }

  #fields(value: Readonly<Record<string, unknown>>): void {
    for (const key of Object.keys(value)) {
      const field = jsonOf(value[key])
      if (field === undefined || typeof field === "function") continue
      this.#within(ENTRY, () => {
        this.#string(KEY, key)
        this.#within(VALUE, () => this.#value(field))
      })
    }
  }

  #value(value: unknown): void {
    if (value === null) this.#byte(NULL, 0)
    else if (typeof value === "string") this.#string(STRING, value)
    else if (typeof value === "number") this.#number(value)
    else if (typeof value === "boolean") this.#byte(BOOL, value ? 1 : 0)
    else if (Array.isArray(value)) this.#within(LIST, () => this.#items(value))
    else if (typeof value === "object") this.#within(STRUCT, () => this.#fields(value as Record<string, unknown>))
    else throw new TypeError(`a ${typeof value} cannot be sent: variables are what JSON can say`)
  }

  #items(values: readonly unknown[]): void {
    for (const value of values) this.#within(ITEM, () => this.#value(jsonOf(value) ?? null))
  }

  #number(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be sent: JSON has no such number`)
    this.#room(9)
    this.#buffer[this.#at] = NUMBER
    this.#buffer.writeDoubleLE(value, this.#at + 1)
    this.#at += 9
  }

  #byte(tag: number, value: number): void {
    this.#room(2)
    this.#buffer[this.#at++] = tag
    this.#buffer[this.#at++] = value
  }

  #string(tag: number, text: string): void {
    // A UTF-16 unit is at most three bytes; tag and length are at most six.
    this.#room(text.length * 3 + 6)
    this.#buffer[this.#at++] = tag
    const start = this.#at + 1
    this.#end(start, text.length < SHORT ? this.#short(text, start) : this.#buffer.write(text, start, "utf8"))
  }

  /** A call into Buffer costs as much as some thirty characters that are written here. */
  #short(text: string, start: number): number {
    const buffer = this.#buffer
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) return buffer.write(text, start, "utf8")
      buffer[start + index] = unit
    }
    return text.length
  }

  /** Writes a length-delimited value: one byte is kept for the length, and more are inserted where it turns out longer. */
  #within(tag: number, write: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new TypeError("the value is nested too deeply, or in a circle")
    this.#room(2)
    this.#buffer[this.#at++] = tag
    const start = ++this.#at
    write()
    this.#depth--
    this.#end(start, this.#at - start)
  }

  #end(start: number, length: number): void {
    const bytes = varintBytes(length)
    if (bytes > 1) {
      this.#at = start + length
      this.#room(bytes)
      this.#buffer.copyWithin(start + bytes - 1, start, start + length)
    }
    this.#at = start - 1
    let rest = length
    for (; rest > 0x7f; rest >>>= 7) this.#buffer[this.#at++] = (rest & 0x7f) | 0x80
    this.#buffer[this.#at++] = rest
    this.#at += length
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
  }
}

/** Does the same as JSON.stringify: a Date becomes its text. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === "function" ? toJSON.call(value) : value
}

const varintBytes = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5
