// The calls that a handler works on: an end of the server waits for these, and for no others.

export class UnderWay {
  #calls = 0
  #onIdle: () => void = () => {}

  get isIdle(): boolean {
    return this.#calls === 0
  }

  /** Resolves once no handler works. */
  async idle(): Promise<void> {
    while (!this.isIdle)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
  }

  /** Counted until it is done. */
  async work(handle: () => Promise<void>): Promise<void> {
    this.#calls += 1
    try {
      await handle()
    } finally {
      this.#calls -= 1
      if (this.isIdle) this.#onIdle()
    }
  }
}
