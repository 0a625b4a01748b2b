// The addresses of engines on one database: calls go to one of them until it is in trouble, then to the next.
import type { Wire } from "./wire.ts"

export class Addresses<W extends Wire = Wire> {
  readonly #wires: readonly W[]
  #current = 0

  constructor(wires: readonly W[]) {
    if (wires.length === 0) throw new TypeError("an engine needs at least one url")
    this.#wires = wires
  }

  get count(): number {
    return this.#wires.length
  }

  get current(): W {
    return this.#wires[this.#current]!
  }

  /** Calls under way fail at the same moment: only the first of them moves on. */
  leave(troubled: Wire): void {
    if (troubled === this.current) this.#current = (this.#current + 1) % this.#wires.length
  }

  close(): void {
    for (const wire of this.#wires) wire.close()
  }
}
