// Time as the guard uses it: windows are measured on a clock that only goes forward, records carry the time of day.

export interface Clock {
  /** Milliseconds of a clock that is never set: a step of the time of day neither opens nor shuts a window. */
  nowMs(): number
  date(): Date
  /** Runs once after a delay; the result calls it off. */
  after(delayMs: number, run: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  date: () => new Date(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    // What the guard still has to do never keeps a process alive.
    timer.unref()
    return () => clearTimeout(timer)
  },
}
