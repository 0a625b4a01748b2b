// The routes of the queue speak snake_case, TypeScript camelCase: the names of fields are turned, what callers put in is not.

/** What these hold is the caller's own. */
const OWN: ReadonlySet<string> = new Set(["payload", "result"])

export const toSnake = (value: unknown): unknown =>
  rename(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

export const toCamel = <T>(value: unknown): T =>
  rename(value, (name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())) as T

function rename(value: unknown, turn: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, turn))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [turn(name), OWN.has(name) ? inner : rename(inner, turn)]),
  )
}
