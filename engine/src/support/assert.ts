// Assertions: what must hold by our own construction. A failed one is a bug, never a caller's mistake.

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

export function unreachable(value: never): never {
  throw new Error(`assertion failed: unexpected ${JSON.stringify(value)}`)
}
