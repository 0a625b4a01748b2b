// What a service counts about itself: how often it was called, how often in vain, and whether anything happened twice.

export interface Stats {
  readonly calls: number
  /** Answered from memory: the key had been seen before. */
  readonly repeated: number
  /** Answered with 503 before anything happened. */
  readonly refused: number
  /** It happened, but the answer never arrived. */
  readonly lost: number
  /** What changed in the world. */
  readonly effects: number
  /** The same change for the same subject once more: must stay 0. */
  readonly doubled: number
  /** Calls that were being answered at the same time, at most. */
  readonly mostAtOnce: number
  /** By second since the epoch. */
  readonly perSecond: Readonly<Record<string, number>>
  /** Calls and effects by method and path. */
  readonly perRoute: Readonly<Record<string, RouteStats>>
}

interface RouteStats {
  calls: number
  effects: number
}

export class Tally {
  repeated = 0
  refused = 0
  lost = 0
  doubled = 0
  #calls = 0
  #atOnce = 0
  #mostAtOnce = 0
  readonly #perSecond: Record<string, number> = {}
  readonly #perRoute: Record<string, RouteStats> = {}
  readonly #effects = new Set<string>()

  begin(route: string): void {
    this.#calls++
    this.#atOnce++
    this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#atOnce)
    const second = Math.floor(Date.now() / 1000)
    this.#perSecond[second] = (this.#perSecond[second] ?? 0) + 1
    this.#route(route).calls++
  }

  end(): void {
    this.#atOnce--
  }

  effect(route: string, name: string): void {
    if (this.#effects.has(name)) this.doubled++
    this.#effects.add(name)
    this.#route(route).effects++
  }

  #route(name: string): RouteStats {
    this.#perRoute[name] ??= { calls: 0, effects: 0 }
    return this.#perRoute[name]
  }

  stats(): Stats {
    const { repeated, refused, lost, doubled } = this
    return {
      calls: this.#calls,
      repeated,
      refused,
      lost,
      effects: this.#effects.size,
      doubled,
      mostAtOnce: this.#mostAtOnce,
      perSecond: this.#perSecond,
      perRoute: this.#perRoute,
    }
  }
}
