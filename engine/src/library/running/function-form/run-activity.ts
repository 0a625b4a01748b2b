// What of a function is under way: it is left to wait only when none of it could go on by itself.

export class RunActivity {
  readonly #onStill: (branches: number) => void
  readonly #onIdle: (() => void)[] = []
  /** The branches of `run.all` that have not ended, and the function itself while it does not wait for them. */
  #branches = 1
  #calls = 0

  /** `onStill` is called when no call is under way, with the number of branches: some may be busy with code of their own. */
  constructor(onStill: (branches: number) => void) {
    this.#onStill = onStill
  }

  /** All at once. The branch that asks for them waits meanwhile, and does not count as one. */
  async fork<T>(branches: readonly (() => Promise<T>)[]): Promise<T[]> {
    this.#branches += branches.length - 1
    try {
      return await Promise.all(branches.map((branch) => this.#follow(branch)))
    } finally {
      this.#branches += 1
    }
  }

  async #follow<T>(branch: () => Promise<T>): Promise<T> {
    try {
      return await branch()
    } finally {
      this.#branches -= 1
      this.look()
    }
  }

  /** A call that keeps the function from being still. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#calls += 1
    try {
      return await work()
    } finally {
      this.#calls -= 1
      if (this.#calls === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
      this.look()
    }
  }

  /** When this turn is over: what the function has just been given may lead to further calls in it. */
  look(): void {
    setImmediate(() => {
      if (this.#calls === 0) this.#onStill(this.#branches)
    })
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }
}
