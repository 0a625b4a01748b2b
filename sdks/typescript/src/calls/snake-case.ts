// The routes of the queue speak snake_case, TypeScript camelCase: the names of fields are turned, what callers put in is not.

/** What these hold is the caller's own. */
type Own = "payload" | "result"
const OWN: ReadonlySet<string> = new Set<Own>(["payload", "result"])

type CamelName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelName<Rest>>}` : Name

/** A type of the wire as `toCamel` turns its values. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? readonly Camel<Item>[]
  : T extends object
    ? { readonly [Name in keyof T as CamelName<Name>]: Name extends Own ? T[Name] : Camel<T[Name]> }
    : T

export const toSnake = <T>(value: Camel<T>): T =>
  rename(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as T

export const toCamel = <T>(value: T): Camel<T> =>
  rename(value, (name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())) as Camel<T>

function rename(value: unknown, turn: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, turn))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [turn(name), OWN.has(name) ? inner : rename(inner, turn)]),
  )
}
