// Monotonic time and cancellable waiting; tests put a clock of their own here.

export interface Clock {
  /** Milliseconds that only grow, the same in every thread of the process; no relation to the time of day. */
  now(): number
  /** Calls `then` after `ms`; the returned function cancels. */
  after(ms: number, then: () => void): () => void
}

export const monotonicClock: Clock = {
  now() {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1000 + nanoseconds / 1e6
  },
  after(ms, then) {
    // Whole milliseconds let Node keep timers of one duration in one list.
    const timer = setTimeout(then, Math.ceil(ms))
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`, or at once when that is 0 or the signal aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signal?.aborted) return resolve()
    const finish = () => {
      cancel()
      signal?.removeEventListener("abort", finish)
      resolve()
    }
    const cancel = clock.after(ms, finish)
    signal?.addEventListener("abort", finish, { once: true })
  })
}
