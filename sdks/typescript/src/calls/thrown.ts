// Looks at what was thrown, which may be anything: getters that throw, a proxy that refuses, an object without a prototype.

/** What `look` finds; undefined where it throws. */
export function peek<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** `instanceof`, which asks a proxy and may be refused. */
export const isA = <T>(thrown: unknown, kind: abstract new (...given: never[]) => T): thrown is T =>
  peek(() => thrown instanceof kind) ?? false

/** The message of an error or its name, and a thrown text as it is; undefined where there is no such thing. */
export function wordsOf(thrown: unknown): string | undefined {
  const words = isA(thrown, Error) ? peek(() => String(thrown.message || thrown.name)) : thrown
  return typeof words === "string" && words !== "" ? words : undefined
}

/** Where an error was thrown; undefined where it does not say. */
export function stackOf(thrown: unknown): string | undefined {
  const stack = isA(thrown, Error) ? peek(() => thrown.stack) : undefined
  return typeof stack === "string" && stack !== "" ? stack : undefined
}

export function describe(value: unknown): string {
  if (value === null) return "null"
  if (isA(value, Error)) return "an error whose message cannot be read"
  return peek(() => Array.isArray(value)) ? "an array" : `a value of type ${typeof value}`
}
