// Remembers which dispatches the engine has answered, so that a message that is delivered again is not handled again.
import type { Clock } from "../calls/clock.ts"

const WINDOW_MS = 10 * 60_000

export class SeenDispatches {
  readonly #clock: Clock
  readonly #seenAt = new Map<string, number>()
  #sweptAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sweptAt = clock.now()
  }

  get size(): number {
    return this.#seenAt.size
  }

  /** Only after the engine has answered the report: what is remembered is never handled again. */
  add(dedupId: string): void {
    this.#sweep()
    this.#seenAt.set(dedupId, this.#clock.now())
  }

  has(dedupId: string): boolean {
    const seenAt = this.#seenAt.get(dedupId)
    return seenAt !== undefined && this.#clock.now() - seenAt < WINDOW_MS
  }

  #sweep(): void {
    const now = this.#clock.now()
    if (now - this.#sweptAt < WINDOW_MS / 4) return
    this.#sweptAt = now
    for (const [dedupId, seenAt] of this.#seenAt) if (now - seenAt >= WINDOW_MS) this.#seenAt.delete(dedupId)
  }
}
