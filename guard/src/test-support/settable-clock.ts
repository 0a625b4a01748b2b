// A clock for tests: it stands still until it is moved, and then runs what has fallen due.
import type { Clock } from "../clock.ts"

export interface SettableClock extends Clock {
  advance(ms: number): void
  readonly waiting: number
}

export function settableClock(): SettableClock {
  let nowMs = 1_000_000
  let timers: { readonly atMs: number; readonly run: () => void }[] = []
  return {
    nowMs: () => nowMs,
    date: () => new Date(Date.UTC(2030, 0, 1) + nowMs),
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms) {
      nowMs += ms
      const due = timers.filter(({ atMs }) => atMs <= nowMs)
      timers = timers.filter(({ atMs }) => atMs > nowMs)
      for (const { run } of due) run()
    },
    get waiting() {
      return timers.length
    },
  }
}
