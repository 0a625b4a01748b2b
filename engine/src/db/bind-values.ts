// Puts named values into the order in which a statement takes them. A name too few or too many is a bug, and says which.
import type { Parameter } from "./named-parameters.ts"

type Scalar = string | number | boolean | Buffer | null
/** The names are the columns that the statement gives the list. */
type ListedRow = Readonly<Record<string, Scalar>>
/** By the names of the statement's parameters. */
export type NamedValues = Readonly<Record<string, Scalar | readonly Scalar[] | readonly ListedRow[]>>

interface Bindable {
  readonly name: string
  readonly parameters: readonly Parameter[]
}

export function bindValues(statement: Bindable, values: NamedValues): readonly unknown[] {
  const bound: unknown[] = []
  for (const { name, columns } of statement.parameters) {
    const value = values[name]
    if (value === undefined) refuse(statement, values)
    if (columns === undefined) bound.push(value)
    else for (const array of columnsOf(statement.name, columns, value as readonly ListedRow[])) bound.push(array)
  }
  let given = 0
  for (const _ in values) given += 1
  if (given !== statement.parameters.length) refuse(statement, values)
  return bound
}

function refuse({ name, parameters }: Bindable, values: NamedValues): never {
  const names = parameters.map((parameter) => parameter.name)
  throw new Error(`assertion failed: ${name}: ${mismatch(names, values)}`)
}

/**
 * Rows become one array per column. One pass with for-in, which reads a property by its place in the object: by its name, as the
 * columns are listed, the same took twice as long. A column without any value is sent as NULL, which `unnest` fills up: most
 * columns of a wide list are empty. The first is always an array, for it tells how many rows there are.
 */
function columnsOf(statement: string, columns: readonly string[], rows: readonly ListedRow[]): (Scalar[] | null)[] {
  const arrays = columns.map((): Scalar[] => [])
  const names = Object.keys(rows[0] ?? {})
  const targets = names.map((name) => arrays[columns.indexOf(name)])
  for (const row of rows) {
    let place = 0
    for (const name in row) {
      const value = row[name] as Scalar
      const target = targets[place]
      if (target === undefined || value === undefined || name !== names[place]) {
        place = -1
        break
      }
      target.push(value)
      place += 1
    }
    if (place !== columns.length)
      throw new Error(`assertion failed: ${statement}: a row of a list: ${mismatch(columns, row)}`)
  }
  return arrays.map((array, at) => (at > 0 && array.every(isNull) ? null : array))
}

const isNull = (value: Scalar): boolean => value === null

function mismatch(names: readonly string[], given: Readonly<Record<string, unknown>>): string {
  const missing = names.filter((name) => given[name] === undefined).map((name) => `${name} is missing`)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const reasons = [...missing, ...unknown.map((name) => `${name} is unknown`)]
  return reasons.join(", ") || "its properties stand in another order than those of the first"
}
