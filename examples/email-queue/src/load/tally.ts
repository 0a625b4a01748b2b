// What the users have seen: how many answers of which kind, and how long they took.
import type { Act } from "./classes.ts"

export interface Seen {
  readonly act: Act
  readonly status: number
  readonly tookMs: number
}

export class Tally {
  readonly #seen: Seen[] = []

  add(seen: Seen): void {
    this.#seen.push(seen)
  }

  /** Neither taken nor refused for being full. */
  get faults(): number {
    return this.#seen.filter(({ status }) => status !== 200 && status !== 202 && status !== 503).length
  }

  lines(seconds: number): readonly string[] {
    const took = this.#seen.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
    const at = (share: number) => `${(took[Math.ceil(share * took.length) - 1] ?? 0).toFixed(1)} ms`
    const count = (status: number) => this.#seen.filter((seen) => seen.status === status).length
    return [
      `${took.length} requests in ${seconds.toFixed(0)} s: ${(took.length / seconds).toFixed(0)} a second`,
      `P50 ${at(0.5)}, P95 ${at(0.95)}, P99 ${at(0.99)}`,
      `${count(202)} jobs taken, ${count(503)} refused because the queue was full, ${this.faults} other answers`,
    ]
  }
}
