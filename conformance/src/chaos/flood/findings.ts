// Violations by kind: a leak makes thousands of one kind, which must not hide the others.

const SHOWN = 20

export class Findings {
  readonly #kinds = new Map<string, { readonly first: string[]; count: number }>()

  /** What is before the first colon is the kind. */
  add(violations: readonly string[]): void {
    for (const violation of violations) {
      const kind = violation.split(":", 1)[0] as string
      const found = this.#kinds.get(kind) ?? { first: [], count: 0 }
      this.#kinds.set(kind, found)
      found.count += 1
      if (found.count <= SHOWN) found.first.push(violation)
    }
  }

  get all(): string[] {
    return [...this.#kinds].flatMap(([kind, { first, count }]) =>
      count > SHOWN ? [...first, `${kind}: ${count} in all`] : first,
    )
  }
}
