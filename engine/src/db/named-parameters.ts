// Named parameters: `@name` in a statement becomes the `$1`, `$2`, … that PostgreSQL takes, once, when the statement is loaded.
import { assert } from "../support/assert.ts"

/** A value, or a list of rows: `@jobs as j (id text, priority text)` is read in SQL like a table of these columns. */
export interface Parameter {
  readonly name: string
  /** For a list of rows: its columns, in the order in which their arrays are sent. */
  readonly columns?: readonly string[]
}

export interface NumberedText {
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** Texts, quoted names and comments are left as they are; then a list of rows, then a value. */
const TOKENS =
  /'(?:[^']|'')*'|"[^"]*"|--.*|@(?<rows>\w+)(?<ordinality> with ordinality)? as (?<alias>\w+)\s*\((?<columns>[^)]*)\)|@(?<value>\w+)/g

interface Token {
  readonly rows?: string
  readonly ordinality?: string
  readonly alias?: string
  readonly columns?: string
  readonly value?: string
}

export function numberParameters(text: string): NumberedText {
  assert(!/\$\d/.test(text), `a parameter has a name, not a number: ${text}`)
  const numbers = new Numbers()
  const numbered = text.replaceAll(TOKENS, (token, ...groups) => {
    const { rows, ordinality = "", alias, columns = "", value } = groups.at(-1) as Token
    if (value !== undefined) return `$${numbers.first({ name: value })}`
    if (rows === undefined) return token
    const list = readColumns(columns)
    const arrays = list.filter(({ type }) => type !== "")
    const first = numbers.first({ name: rows, columns: arrays.map(({ name }) => name) })
    const names = list.map(({ name }) => name).join(", ")
    return `${writeUnnest(arrays, first)}${ordinality} as ${alias} (${names})`
  })
  return { text: numbered, parameters: numbers.parameters }
}

/** Numbers parameters in the order in which the text names them first. */
class Numbers {
  readonly parameters: Parameter[] = []
  readonly #firsts = new Map<string, number>()
  #next = 1

  first(parameter: Parameter): number {
    const { name, columns } = parameter
    const known = this.parameters.find((other) => other.name === name)
    assert(!known || `${known.columns}` === `${columns}`, `@${name} is the same wherever a statement names it`)
    if (!known) {
      this.parameters.push(parameter)
      this.#firsts.set(name, this.#next)
      this.#next += columns?.length ?? 1
    }
    return this.#firsts.get(name) as number
  }
}

interface TypedColumn {
  readonly name: string
  /** Empty for the number that `with ordinality` adds. */
  readonly type: string
}

function readColumns(text: string): TypedColumn[] {
  return text.split(",").map((column) => {
    const [name = "", type = "", ...more] = column.trim().split(/\s+/)
    assert(name !== "" && more.length === 0, `a column of a list of rows is a name and a type, not "${column.trim()}"`)
    return { name, type }
  })
}

const writeUnnest = (columns: readonly TypedColumn[], first: number): string =>
  `unnest(${columns.map(({ type }, at) => `$${first + at}::${type}[]`).join(", ")})`
