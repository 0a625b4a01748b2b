// Reads JSON text for where things are in it: each value's place, and what keeps the text from being JSON, at its place.

/** A member's place is its key's, an element's its own. */
export interface JsonNode {
  readonly at: number
  readonly inner?: ReadonlyMap<string | number, JsonNode>
}

export interface JsonFault {
  readonly at: number
  readonly message: string
}

export interface Outline {
  /** The values up to where the text could be read. */
  readonly root: JsonNode | undefined
  readonly fault: JsonFault | undefined
}

const DEEPEST = 500
const SPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them inside a string.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const WORD = /[^\s,:[\]{}"]+/y
const LITERALS = new Set(["true", "false", "null"])

export function outlineOf(text: string): Outline {
  const reader = new Reader(text)
  return reader.read()
}

// Thrown to leave the reader from any depth; never leaves this file.
class Stop {
  readonly fault: JsonFault
  constructor(at: number, message: string) {
    this.fault = { at, message }
  }
}

class Reader {
  readonly #text: string
  #at = 0
  #root: JsonNode | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(): Outline {
    try {
      this.#skip(SPACE)
      if (this.#at === this.#text.length) throw new Stop(0, "There is nothing here yet")
      this.#value(this.#at, 1, (node) => (this.#root = node))
      this.#skip(SPACE)
      if (this.#at < this.#text.length) throw new Stop(this.#at, "The JSON ends before this")
      return { root: this.#root, fault: undefined }
    } catch (error) {
      if (error instanceof Stop) return { root: this.#root, fault: error.fault }
      throw error
    }
  }

  /** A container is kept before it is read, so that what precedes a fault has its place. */
  #value(at: number, depth: number, keep: (node: JsonNode) => void): void {
    const char = this.#text[this.#at]
    if (char === "{" || char === "[") {
      if (depth > DEEPEST) throw new Stop(this.#at, "This is nested too deeply")
      const inner = new Map<string | number, JsonNode>()
      keep({ at, inner })
      this.#at++
      if (char === "{") this.#members(inner, depth)
      else this.#elements(inner, depth)
    } else {
      keep({ at })
      this.#scalar()
    }
  }

  #members(inner: Map<string | number, JsonNode>, depth: number): void {
    if (this.#closes("}")) return
    do {
      this.#skip(SPACE)
      const at = this.#at
      const name = this.#name()
      if (inner.has(name)) throw new Stop(at, `"${name}" is written twice in this object`)
      this.#skip(SPACE)
      if (this.#text[this.#at] !== ":") throw new Stop(at, `A colon is missing after "${name}"`)
      this.#at++
      this.#skip(SPACE)
      this.#value(at, depth + 1, (node) => inner.set(name, node))
    } while (this.#goesOn("}"))
  }

  #elements(inner: Map<string | number, JsonNode>, depth: number): void {
    if (this.#closes("]")) return
    do {
      this.#skip(SPACE)
      const index = inner.size
      this.#value(this.#at, depth + 1, (node) => inner.set(index, node))
    } while (this.#goesOn("]"))
  }

  #closes(bracket: string): boolean {
    this.#skip(SPACE)
    if (this.#text[this.#at] !== bracket) return false
    this.#at++
    return true
  }

  /** After an entry: true when a comma leads to the next. A missing comma is missed where the entry ended, not where the next begins. */
  #goesOn(bracket: string): boolean {
    const end = this.#at
    if (this.#closes(bracket)) return false
    if (this.#text[this.#at] === undefined) throw new Stop(end, `The text ends before its closing ${bracket}`)
    if (this.#text[this.#at] !== ",") throw new Stop(end - 1, `A comma or ${bracket} is missing after this`)
    const comma = this.#at++
    this.#skip(SPACE)
    if (this.#text[this.#at] === bracket) throw new Stop(comma, `The comma before ${bracket} is one too many`)
    return true
  }

  #name(): string {
    if (this.#text[this.#at] === '"') return this.#string()
    const word = this.#skip(WORD)
    if (word !== "")
      throw new Stop(this.#at - word.length, `A name stands in double quotes: "${word.replaceAll("'", "")}"`)
    throw new Stop(this.#at, "A name in double quotes is missing here")
  }

  #string(): string {
    const start = this.#at
    const text = this.#skip(STRING)
    if (text !== "") return JSON.parse(text) as string
    throw new Stop(start, "This text has no closing quote on its line, or a backslash that JSON does not know")
  }

  #scalar(): void {
    if (this.#text[this.#at] === '"') return void this.#string()
    const start = this.#at
    const word = this.#skip(WORD)
    if (word === "") throw new Stop(start, "A value is missing here")
    if (LITERALS.has(word)) return
    this.#at = start
    if (this.#skip(NUMBER) === word) return
    throw new Stop(start, `${word} is not JSON: text stands in double quotes`)
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ""
    this.#at += found.length
    return found
  }
}
