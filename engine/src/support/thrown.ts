// Looks at what the caller's code has thrown, which may be anything: getters that throw, a proxy that refuses, no prototype.

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
