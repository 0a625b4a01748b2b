// A clock for the guard in tests: it stands still until it is moved, and then runs what has fallen due.
import type { Clock } from "@millrace/guard"

export interface GuardClock extends Clock {
  advance(ms: number): void
}

export function guardClock(): GuardClock {
  let nowMs = 1_000_000
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>()
  return {
    nowMs: () => nowMs,
    // Blocks have times of the database, which this clock does not move.
    date: () => new Date(),
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      nowMs += ms
      for (const timer of [...timers]) {
        if (timer.atMs > nowMs) continue
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
