// The callers that this process hears from most, in a bounded table: those that call least make room for new ones.

export interface Caller {
  readonly name: string
  readonly requests: number
  readonly refused: number
}

const MOST = 1_000
/** Counts are halved at this interval, so that the list shows the last minutes and not last week. */
const HALF_LIFE_MS = 300_000

export class Busiest {
  readonly #callers = new Map<string, { requests: number; refused: number }>()
  readonly #nowMs: () => number
  #halvedMs: number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#halvedMs = nowMs()
  }

  note(name: string, isRefused: boolean): void {
    this.#halve()
    const caller = this.#callers.get(name) ?? this.#add(name)
    caller.requests += 1
    if (isRefused) caller.refused += 1
  }

  /** Returns at most `count` callers, the busiest first. */
  top(count: number): readonly Caller[] {
    this.#halve()
    const all = [...this.#callers].map(([name, caller]) => ({
      name,
      requests: Math.round(caller.requests),
      refused: Math.round(caller.refused),
    }))
    return all.sort((a, b) => b.requests - a.requests).slice(0, count)
  }

  #add(name: string) {
    if (this.#callers.size >= MOST) this.#drop()
    const caller = { requests: 0, refused: 0 }
    this.#callers.set(name, caller)
    return caller
  }

  /** The lower half at once: to look for the least at every newcomer would cost a thousand steps each. */
  #drop(): void {
    const counts = [...this.#callers.values()].map(({ requests }) => requests).sort((a, b) => a - b)
    const middle = counts[counts.length >> 1] as number
    for (const [name, { requests }] of this.#callers)
      if (requests <= middle && this.#callers.size > MOST / 2) this.#callers.delete(name)
  }

  #halve(): void {
    const times = Math.floor((this.#nowMs() - this.#halvedMs) / HALF_LIFE_MS)
    if (times === 0) return
    this.#halvedMs += times * HALF_LIFE_MS
    for (const [name, caller] of this.#callers) {
      caller.requests /= 2 ** times
      caller.refused /= 2 ** times
      if (caller.requests < 0.5) this.#callers.delete(name)
    }
  }
}
