// Wakes all that wait for something to have changed.

export class Bell {
  #waiting: (() => void)[] = []

  ring(): void {
    const woken = this.#waiting
    this.#waiting = []
    for (const wake of woken) wake()
  }

  /** Resolves at the next ring. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
