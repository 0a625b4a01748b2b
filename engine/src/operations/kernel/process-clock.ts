// Time within this process, for what waits and measures here: given to it, so that a test can stand still and move on.

export interface ProcessClock {
  /** Milliseconds of a clock that is never set. */
  nowMs(): number
  /** Runs once after a delay; the result calls it off. */
  after(delayMs: number, run: () => void): () => void
}

export const processClock: ProcessClock = {
  nowMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
