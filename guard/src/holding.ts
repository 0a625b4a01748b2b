// Requests that are served after a delay. Each keeps a socket and its memory, so only so many wait at once.
import type { Clock } from "./clock.ts"

const MOST_HELD = 100
/** Spread over so many seconds, callers that were refused together do not come back together. */
const JITTER_SECONDS = 4

export class Holding {
  readonly #clock: Clock
  readonly #random: () => number
  #held = 0

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  get held(): number {
    return this.#held
  }

  /** True after the delay. False where too many wait already, and as soon as the caller has gone. */
  async hold(delayMs: number, gone?: AbortSignal): Promise<boolean> {
    if (this.#held >= MOST_HELD || gone?.aborted) return false
    this.#held++
    try {
      return await new Promise<boolean>((resolve) => {
        const cancel = this.#clock.after(delayMs, () => {
          gone?.removeEventListener("abort", leave)
          resolve(true)
        })
        const leave = () => {
          cancel()
          resolve(false)
        }
        gone?.addEventListener("abort", leave, { once: true })
      })
    } finally {
      this.#held--
    }
  }

  /** When a request that could not be held should come again. */
  retryAfterSeconds(delayMs: number): number {
    return Math.ceil(delayMs / 1000) + Math.floor(this.#random() * JITTER_SECONDS)
  }
}
