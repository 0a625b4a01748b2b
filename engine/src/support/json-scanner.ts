// The scanner behind the door for JSON: one pass over the raw text finds what would hurt. Of the grammar it knows enough to say that a
// text is surely JSON; where it is not sure, JSON.parse judges.
import { keepsDigits } from "./double-digits.ts"
import { addName, type Frame, pathOf } from "./json-frame.ts"

export interface JsonLimits {
  /** The server counts these before decoding; text that is longer in characters already is refused here too. */
  readonly bodyBytes: number
  readonly depth: number
  /** Levels around that which is counted, such as a list and its items. */
  readonly outerLevels?: number
  /** Keys of all objects together. */
  readonly keys: number
  /** UTF-8 bytes of one string, escapes decoded. */
  readonly stringBytes: number
}

export interface JsonFault {
  readonly path: string
  readonly position: number
  readonly message: string
  readonly hint: string
  readonly isTooLarge?: boolean
}

const [SPACE, QUOTE, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a]
const [OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, LOWER_U, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x75, 0x7b, 0x7d]

/** What may come next, as bits. Nothing may after the end of the outermost value. */
const [A_VALUE, A_KEY, A_COLON, A_COMMA, A_CLOSE, THE_END] = [1, 2, 4, 8, 16, 0]

/** Line ends and tabs included: a text that is laid out in lines is not worth a look into every string. */
const CONTROL = /[^\x20-\uffff]/
/** The usual form of a number. PostgreSQL reads others too, but not of every size: 1e-99999 is too small for it, and 0 for us. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,40})?$/
/** After a backslash. */
const ESCAPES = '"\\/bfnrt'

const FORBIDDEN = "it can change the prototype of objects; use another key"
const SEND_AS_STRING = "JavaScript would round it; send it as a string"

// Thrown to leave the scan from any depth; never leaves this file.
class Found {
  readonly fault: JsonFault
  constructor(fault: JsonFault) {
    this.fault = fault
  }
}

export class JsonScanner {
  private readonly text: string
  private readonly limits: JsonLimits
  private readonly frames: Frame[] = []
  private top: Frame | undefined
  private at = 0
  private keys = 0
  private mayCome = A_VALUE
  /** False once something came that is not JSON, or is unusual JSON. */
  private plain = true
  /** The next backslash at or after `at`: strings before it need no look inside. */
  private escapeAt = -1

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.limits = limits
  }

  /** The first thing to refuse, or undefined. */
  scan(): JsonFault | undefined {
    try {
      this.seekEscape(0)
      if (!isWellFormed(this.text)) this.refuseRawSurrogate()
      while (this.at < this.text.length) this.token(this.text.charCodeAt(this.at))
      return undefined
    } catch (error) {
      if (error instanceof Found) return error.fault
      throw error
    }
  }

  /** After a scan without fault: surely JSON, and written as PostgreSQL reads it, too. False where that would take a closer look. */
  get isPlain(): boolean {
    const isWhole = this.mayCome === THE_END && this.at === this.text.length
    return this.plain && isWhole && !CONTROL.test(this.text)
  }

  private token(c: number): void {
    if (c === QUOTE) this.string()
    else if (c === COLON) this.colon()
    else if (c === COMMA) this.comma()
    else if (c === MINUS || (c >= ZERO && c <= NINE)) this.number(c)
    else if (c === OPEN_OBJECT || c === OPEN_ARRAY) this.open(c === OPEN_OBJECT)
    else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) this.close(c === CLOSE_OBJECT)
    else if (c === SPACE) this.at++
    else this.word()
  }

  private came(what: number, then: number): void {
    if ((this.mayCome & what) === 0) this.plain = false
    this.mayCome = then
  }

  private cameValue(): void {
    this.came(A_VALUE, this.top ? A_COMMA | A_CLOSE : THE_END)
  }

  /** true, false, null; or a line's end, or something JSON.parse refuses. */
  private word(): void {
    const { text, at } = this
    const length = text.startsWith("true", at) || text.startsWith("null", at) ? 4 : text.startsWith("false", at) ? 5 : 1
    if (length === 1) this.plain = false
    else this.cameValue()
    this.at += length
  }

  private colon(): void {
    this.came(A_COLON, A_VALUE)
    this.at++
  }

  private open(isObject: boolean): void {
    const { depth, outerLevels = 0 } = this.limits
    if (this.frames.length >= depth + outerLevels)
      this.refuse(`nesting deeper than ${depth} levels`, "send a flatter value")
    this.came(A_VALUE, (isObject ? A_KEY : A_VALUE) | A_CLOSE)
    this.top = { isObject, expectsKey: isObject, names: [], index: 0, name: "" }
    this.frames.push(this.top)
    this.at++
  }

  private close(isObject: boolean): void {
    if (this.frames.pop()?.isObject !== isObject) this.plain = false
    this.top = this.frames[this.frames.length - 1]
    this.came(A_CLOSE, this.top ? A_COMMA | A_CLOSE : THE_END)
    this.at++
  }

  private comma(): void {
    this.came(A_COMMA, this.top?.isObject ? A_KEY : A_VALUE)
    if (this.top) {
      this.top.index++
      this.top.expectsKey = this.top.isObject
    }
    this.at++
  }

  private string(): void {
    const start = this.at
    const end = this.stringEnd()
    this.at = end + 1
    if (this.top?.expectsKey) return this.key(this.top, start, end)
    this.cameValue()
    // A UTF-16 unit is at most three UTF-8 bytes, so shorter strings need no count.
    if ((end - start) * 3 > this.limits.stringBytes) this.checkLength(start, end)
  }

  /** Position of the closing quote (or the end of a truncated text), with every escape inside checked. */
  private stringEnd(): number {
    let quote = this.quoteFrom(this.at + 1)
    while (this.escapeAt < quote) {
      this.at = this.escapeAt
      this.escape()
      if (quote < this.at) quote = this.quoteFrom(this.at)
    }
    return quote
  }

  private quoteFrom(from: number): number {
    const quote = this.text.indexOf('"', from)
    return quote < 0 ? this.text.length : quote
  }

  private seekEscape(from: number): void {
    const found = this.text.indexOf("\\", from)
    this.escapeAt = found < 0 ? Number.POSITIVE_INFINITY : found
  }

  private escape(): void {
    let length = 2
    if (this.text.charCodeAt(this.at + 1) === LOWER_U) {
      const unit = this.unitAt(this.at)
      if (unit < 0) this.plain = false
      if (unit === 0) this.refuse("the character \\u0000", "PostgreSQL cannot store it; leave it out")
      if (unit >= 0xd800 && unit <= 0xdfff) {
        const low = unit < 0xdc00 ? this.unitAt(this.at + 6) : 0
        if (low < 0xdc00 || low > 0xdfff) this.refuse("half of a surrogate pair", "send both halves or neither")
        length = 12
      } else length = 6
    } else if (!ESCAPES.includes(this.text.charAt(this.at + 1))) this.plain = false
    this.at += length
    this.seekEscape(this.at)
  }

  /** The UTF-16 unit of a `\uXXXX` there, or -1. */
  private unitAt(position: number): number {
    const { text } = this
    if (text.charCodeAt(position) !== BACKSLASH || text.charCodeAt(position + 1) !== LOWER_U) return -1
    const hex = text.slice(position + 2, position + 6)
    return /^[0-9a-fA-F]{4}$/.test(hex) ? Number.parseInt(hex, 16) : -1
  }

  private key(frame: Frame, start: number, end: number): void {
    this.came(A_KEY, A_COLON)
    frame.expectsKey = false
    frame.name = this.decode(start, end)
    if ((end - start) * 3 > this.limits.stringBytes) this.checkLength(start, end)
    if (++this.keys > this.limits.keys) this.refuse(`more than ${this.limits.keys} keys`, "send fewer", start)
    const { name } = frame
    if (name === "__proto__" || name === "prototype" || name === "constructor")
      this.refuse(`the key ${name}`, FORBIDDEN, start)
    if (!addName(frame, name)) this.refuse("a key that is given twice", "keep one of them", start)
  }

  /** The string between two quotes; raw when an escape is malformed, for JSON.parse to refuse. */
  private decode(start: number, end: number): string {
    const raw = this.text.slice(start + 1, end)
    if (!raw.includes("\\")) return raw
    try {
      return String(JSON.parse(`"${raw}"`))
    } catch {
      return raw
    }
  }

  private checkLength(start: number, end: number): void {
    if (Buffer.byteLength(this.decode(start, end)) <= this.limits.stringBytes) return
    const message = `a string larger than ${this.limits.stringBytes} bytes`
    const hint = "keep it elsewhere and send a reference"
    throw new Found({ path: pathOf(this.frames), position: start, message, hint, isTooLarge: true })
  }

  private number(first: number): void {
    this.cameValue()
    const start = this.at
    let points = 0
    let digits = 1
    let c = this.text.charCodeAt(++this.at)
    for (; isNumberPart(c); c = this.text.charCodeAt(++this.at)) {
      if (c === POINT) points++
      else if (c >= ZERO && c <= NINE) digits++
    }
    // Fifteen digits are always exact.
    if (digits <= 15 && first >= ZERO && digits + points === this.at - start && this.isUsual(start, points)) return
    this.checkNumber(start)
  }

  /** For a number of digits, with or without a point: whether JSON would write it in this form. */
  private isUsual(start: number, points: number): boolean {
    const { text, at } = this
    const hasLeadingZero = text.charCodeAt(start) === ZERO
    if (points === 0) return !hasLeadingZero || at - start === 1
    return (
      points === 1 && text.charCodeAt(at - 1) !== POINT && (!hasLeadingZero || text.charCodeAt(start + 1) === POINT)
    )
  }

  private checkNumber(start: number): void {
    const written = this.text.slice(start, this.at)
    if (!PLAIN_NUMBER.test(written)) this.plain = false
    const value = Number(written)
    const size = Math.abs(value)
    if (size === Number.POSITIVE_INFINITY)
      this.refuse("a number beyond the range of doubles", "send it as a string", start)
    // 1e300 counts as well: jsonb gives it back as 301 digits, which we would refuse ourselves.
    if (size > Number.MAX_SAFE_INTEGER) {
      this.refuse("a whole number beyond ±(2^53−1)", SEND_AS_STRING, start)
    }
    if (!keepsDigits(written, value)) this.refuse("a number whose digits a double does not keep", SEND_AS_STRING, start)
  }

  private refuseRawSurrogate(): never {
    const found = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(this.text)
    this.refuse("half of a surrogate pair", "send both halves or neither", found?.index ?? 0)
  }

  private refuse(message: string, hint: string, position = this.at): never {
    throw new Found({ path: pathOf(this.frames), position, message, hint })
  }
}

// In Node since 20, in the compiler's library only from ES2024 on.
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed()

const isNumberPart = (c: number): boolean =>
  (c >= ZERO && c <= NINE) || c === POINT || c === 0x65 || c === 0x45 || c === 0x2b || c === MINUS
