// When to look for events although nothing has told of any: soon after something was published, and then less and less often.
// A caller's transaction commits unseen, and so does a program in another language; after the last look the pulse finds what they bring.

const FIRST_MS = 5
const LONGEST_MS = 80
const WINDOW_MS = 1_000

export class Looks {
  #untilMs = 0
  #pauseMs = FIRST_MS

  /** Something was published, or may be in a moment. */
  extend(nowMs = performance.now()): void {
    this.#untilMs = nowMs + WINDOW_MS
    this.#pauseMs = FIRST_MS
  }

  /** How long to wait for the next look; undefined when there is none. */
  next(nowMs = performance.now()): number | undefined {
    if (nowMs >= this.#untilMs) return undefined
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(2 * pauseMs, LONGEST_MS)
    return pauseMs
  }
}
