// What was found: each thing once, with the first request that showed it and how often it came.

export interface Finding {
  readonly fault: string
  readonly episode: number
  /** The request and the answer, for people. */
  readonly told: string
  count: number
}

/** Ids and numbers differ from one request to the next: the fault is the same. */
const sameness = (fault: string): string =>
  fault
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}(-\w+)?|\d{4,}/g, "…")
    .replaceAll(/\/\d+/g, "/n")
    .slice(0, 160)

export class Findings {
  readonly #found = new Map<string, Finding>()

  add(fault: string, episode: number, told: string): void {
    const key = sameness(fault)
    const found = this.#found.get(key)
    if (found) found.count += 1
    else this.#found.set(key, { fault, episode, told, count: 1 })
  }

  get all(): readonly Finding[] {
    return [...this.#found.values()]
  }
}
