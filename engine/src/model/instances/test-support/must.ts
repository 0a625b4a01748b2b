// A broken invariant, named by its id in RELIABILITY.md or the spec.

export class BrokenInvariant extends Error {
  readonly id: string

  constructor(id: string, message: string) {
    super(`${id}: ${message}`)
    this.name = "BrokenInvariant"
    this.id = id
  }
}

/** The message is made only when it is needed: this runs millions of times. */
export function must(id: string, condition: unknown, message: () => string): asserts condition {
  if (!condition) throw new BrokenInvariant(id, message())
}
