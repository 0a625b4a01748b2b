// The callers of this process that wait for the end of an instance or a job. Telling them only shortens the wait: they look by themselves.
import { perKernel } from "../kernel/kernel.ts"

export class Endings {
  readonly #waiters = new Map<string, Set<() => void>>()

  tell(id: string): void {
    for (const wake of this.#waiters.get(id) ?? []) wake()
  }

  /** Resolves when it is time to look again: told, or after so long. */
  wait(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set()
      this.#waiters.set(id, waiters)
      const wake = () => {
        clearTimeout(timer)
        waiters.delete(wake)
        if (waiters.size === 0) this.#waiters.delete(id)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      waiters.add(wake)
    })
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0
  }
}

export const endingsOf = perKernel(() => new Endings())
