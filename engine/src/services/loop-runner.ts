// Runs one loop: at its next due time, never twice at once, again at once while there is more to do.

export const NEVER = Number.POSITIVE_INFINITY

export class LoopRunner {
  readonly #tick: () => Promise<boolean>
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #timerAt = NEVER
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(tick: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#tick = tick
    this.#onError = onError
  }

  /** An earlier time wins over one that is set already. */
  dueIn(ms: number): void {
    const at = performance.now() + Math.max(0, ms)
    if (this.#stopped || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, ms))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #fire(): void {
    this.#timerAt = NEVER
    if (this.#running) this.#again = true
    else this.#running = this.#run().finally(() => (this.#running = undefined))
  }

  async #run(): Promise<void> {
    try {
      do {
        this.#again = false
        while (!this.#stopped && (await this.#tick()));
      } while (this.#again && !this.#stopped)
    } catch (error) {
      // The next pulse finds the work still due.
      this.#onError(error)
    }
  }
}
