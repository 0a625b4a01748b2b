// What a power cut may have taken back. A claim does not wait for the disk; it is there for good as soon as a commit that waits was begun
// after it and was answered, since the log is written in order.
import type { Cut } from "../server.ts"

export class PowerCuts {
  readonly #cuts: readonly Cut[]
  /** For each cut: the time up to which everything that was seen has survived it. */
  readonly #safe: number[]

  constructor(cuts: readonly Cut[]) {
    this.#cuts = cuts
    this.#safe = cuts.map(() => 0)
  }

  /** A commit that waits for the disk was asked for, and answered. */
  committed(sentAt: number, answeredAt: number): void {
    for (const [at, { from }] of this.#cuts.entries())
      if (answeredAt < from) this.#safe[at] = Math.max(this.#safe[at]!, sentAt)
  }

  /** Whether a claim that was made between these times may be gone. */
  mayHaveLost({ askedAt, claimedAt }: { readonly askedAt: number; readonly claimedAt: number }): boolean {
    return this.#cuts.some(({ until }, at) => claimedAt >= this.#safe[at]! && askedAt <= until)
  }
}
