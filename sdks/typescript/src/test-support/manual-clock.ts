// A clock that moves only when a test says so.
import type { Clock } from "../calls/clock.ts"

interface Timer {
  readonly at: number
  readonly then: () => void
}

export class ManualClock implements Clock {
  #now = 1_000_000
  #timers = new Set<Timer>()
  #watchers: (() => void)[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, then: () => void): () => void {
    const timer = { at: this.#now + ms, then }
    this.#timers.add(timer)
    for (const check of this.#watchers) check()
    return () => this.#timers.delete(timer)
  }

  /** Milliseconds until each pending timer, soonest first. */
  get pending(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b)
  }

  /** Resolves when a timer within `ms` is pending. */
  timerWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!this.pending.some((left) => left <= ms)) return
        this.#watchers = this.#watchers.filter((other) => other !== check)
        resolve()
      }
      this.#watchers.push(check)
      check()
    })
  }

  /** Moves on and fires what falls due on the way, in order. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (let timer = this.#due(until); timer; timer = this.#due(until)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.at)
      timer.then()
    }
    this.#now = until
  }

  #due(until: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
  }
}
