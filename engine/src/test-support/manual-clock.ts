// A clock of this process for tests: it stands still until it is moved, and what falls due on the way runs at its time, in order.
import type { ProcessClock } from "../operations/kernel/process-clock.ts"

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

export class ManualClock implements ProcessClock {
  #nowMs = 1_000_000
  readonly #timers = new Set<Timer>()

  nowMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** How many timers are set. */
  get waiting(): number {
    return this.#timers.size
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    while (this.#runNext(endMs));
    this.#nowMs = endMs
  }

  /** Does the same as `advance`, but lets promises that follow from a timer settle before the next timer runs. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    do await settled()
    while (this.#runNext(endMs))
    this.#nowMs = endMs
  }

  #runNext(endMs: number): boolean {
    const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs)
    if (!next || next.atMs > endMs) return false
    this.#timers.delete(next)
    this.#nowMs = next.atMs
    next.run()
    return true
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
