// A process's idea of the database's time where a test moves that, stops it and lets it go on.
import { DatabaseClock } from "../db/clock.ts"
import { TestClock } from "../test-kit/test-clock.ts"

export class StoppableClock extends DatabaseClock {
  #running = new TestClock()
  #standsAt: number | undefined

  stop(atMs: number): void {
    this.#standsAt = atMs
  }

  start(atMs: number): void {
    this.#running = new TestClock()
    this.#standsAt = undefined
    this.observe(atMs)
  }

  override observe(databaseNowMs: number): void {
    if (this.#standsAt === undefined) this.#running.observe(databaseNowMs)
    else this.#standsAt = Math.max(this.#standsAt, databaseNowMs)
  }

  override nowMs(): number {
    return this.#standsAt ?? this.#running.nowMs()
  }

  move(ms: number): void {
    if (this.#standsAt === undefined) this.#running.move(ms)
    else this.#standsAt += ms
  }
}
