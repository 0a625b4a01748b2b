// What was sent and answered, counted: a fuzzer that only gets refusals proves little.
import type { Played } from "./player.ts"

export class Tally {
  sent = 0
  #valid = 0
  #validSuccesses = 0
  readonly #statuses = new Map<string, number>()
  /** Operations that were answered with success at least once. */
  readonly succeeded = new Set<string>()

  add({ operation, status, isValid, isSuccess }: Played): void {
    this.sent += 1
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    if (isSuccess) this.succeeded.add(operation)
    if (!isValid) return
    this.#valid += 1
    if (isSuccess) this.#validSuccesses += 1
  }

  /** The share of requests without any harm that had success, from 0 to 1. */
  get share(): number {
    return this.#validSuccesses / Math.max(1, this.#valid)
  }

  /** `4000 × 200, 10 × 404`. */
  get statuses(): string {
    const sorted = [...this.#statuses].sort(([, a], [, b]) => b - a)
    return sorted.map(([status, count]) => `${count} × ${status}`).join(", ")
  }
}
