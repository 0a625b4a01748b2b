// This process's idea of the database's time, moved together with it.
import { DatabaseClock } from "../db/clock.ts"

export class TestClock extends DatabaseClock {
  #offsetMs = Number.NEGATIVE_INFINITY

  /**
   * Never back: a pulse that was on its way while the clock was moved brings a time from before. And of all answers the one that
   * took the shortest way is the truest, so the distance to the database's clock is the same before a move and after it.
   */
  override observe(databaseNowMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, databaseNowMs - localMs())
  }

  override nowMs(): number {
    return Math.floor(localMs() + this.#offsetMs)
  }

  move(ms: number): void {
    this.#offsetMs += ms
  }
}

const localMs = (): number => performance.timeOrigin + performance.now()
