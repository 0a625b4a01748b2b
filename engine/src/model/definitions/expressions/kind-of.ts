// What a value is, in the words of our messages. Messages name kinds, never values: a value may be a secret.

export function kindOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (value === undefined) return "nothing"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}
