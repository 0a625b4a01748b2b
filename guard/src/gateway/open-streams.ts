// The answers that may go on for hours, in a list so that a server can end them when it stops.
import type { EventEmitter } from "node:events"

export class OpenStreams {
  readonly #ends = new Set<() => void>()

  /** Until `closing` says that it has closed. */
  add(end: () => void, closing: EventEmitter): void {
    this.#ends.add(end)
    closing.once("close", () => this.#ends.delete(end))
  }

  get size(): number {
    return this.#ends.size
  }

  end(): void {
    for (const end of this.#ends) end()
  }
}
