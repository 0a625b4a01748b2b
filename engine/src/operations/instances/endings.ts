// The callers of this process that wait for the end of an instance. Telling them only shortens the wait: they also look by themselves.
import { perKernel } from "../kernel/kernel.ts"

export class Endings {
  readonly #waiters = new Map<string, Set<() => void>>()

  tell(instanceId: string): void {
    for (const wake of this.#waiters.get(instanceId) ?? []) wake()
  }

  /** Resolves when it is time to look again: told, or after so long. */
  wait(instanceId: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(instanceId) ?? new Set()
      this.#waiters.set(instanceId, waiters)
      const wake = () => {
        clearTimeout(timer)
        waiters.delete(wake)
        if (waiters.size === 0) this.#waiters.delete(instanceId)
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
