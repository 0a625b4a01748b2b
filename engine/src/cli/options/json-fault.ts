// Where a text stops being JSON, and what was expected there: JSON.parse does not always say.

export interface JsonFault {
  /** The place of the first character that does not belong there. */
  readonly at: number
  readonly expected: string
}

const BLANKS = /[ \t\n\r]*/y
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const PLAIN = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/** Undefined for a text that is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  try {
    const reader = new Reader(text)
    reader.value()
    reader.end()
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

class Fault implements JsonFault {
  readonly at: number
  readonly expected: string
  constructor(at: number, expected: string) {
    this.at = at
    this.expected = expected
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): void {
    this.#skip(BLANKS)
    const first = this.#text[this.#at]
    if (first === "{") this.#items("}", () => this.#member())
    else if (first === "[") this.#items("]", () => this.value())
    else if (first === '"') this.#string("a value")
    else if (!this.#skip(PLAIN)) this.#fail("a value")
  }

  end(): void {
    this.#skip(BLANKS)
    if (this.#at < this.#text.length) this.#fail("the end")
  }

  #items(close: "}" | "]", item: () => void): void {
    this.#at += 1
    this.#skip(BLANKS)
    if (this.#take(close)) return
    do {
      item()
      this.#skip(BLANKS)
    } while (this.#take(","))
    if (!this.#take(close)) this.#fail(`, or ${close}`)
  }

  #member(): void {
    this.#skip(BLANKS)
    this.#string("a name in double quotes")
    this.#skip(BLANKS)
    if (!this.#take(":")) this.#fail("a colon after the name")
    this.value()
  }

  #string(what: string): void {
    if (this.#text[this.#at] !== '"') this.#fail(what)
    if (!this.#skip(STRING)) this.#fail("a string that ends, on one line and without bare control characters")
  }

  #take(character: string): boolean {
    const is = this.#text[this.#at] === character
    if (is) this.#at += 1
    return is
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    this.#at += found?.[0].length ?? 0
    return found !== null
  }

  #fail(expected: string): never {
    throw new Fault(this.#at, expected)
  }
}
