// The database's time, kept as an offset to this process's monotonic clock: ids and plans are dated by it, leases and timers are not.

export class DatabaseClock {
  #offsetMs = 0

  /** Called with every database time that comes by. */
  observe(databaseNowMs: number): void {
    this.#offsetMs = databaseNowMs - localMs()
  }

  nowMs(): number {
    return Math.floor(localMs() + this.#offsetMs)
  }
}

// Monotonic: a step of this machine's wall clock changes nothing.
const localMs = (): number => performance.timeOrigin + performance.now()
