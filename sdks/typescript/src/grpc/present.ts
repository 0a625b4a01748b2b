// proto3 cannot say that a field is absent: what has the value of its type's zero is left out of the JSON.

type Absent = "" | 0 | false | undefined

/** Without the fields that say nothing. Lists and maps stay. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], Absent> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && !ZEROS.has(value))
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], Absent> }
}

const ZEROS: ReadonlySet<unknown> = new Set(["", 0, false])

/** `{ [name]: items }`, or nothing where there are none. */
export const someOf = <K extends string, T>(name: K, items: readonly T[]): { [Name in K]?: readonly T[] } =>
  (items.length === 0 ? {} : { [name]: items }) as { [Name in K]?: readonly T[] }
