// A map that forgets: what has run out, and what was not used for longest when there is too much.

export interface Bounds<V> {
  readonly mostEntries: number
  /** For entries that differ in size: over all of them, weighed when they are set. */
  readonly weight?: { readonly most: number; readonly of: (value: V) => number }
}

interface Entry<V> {
  readonly key: string
  value: V
  untilMs: number
  weight: number
  /** Neighbours in the order of use. */
  newer: Entry<V> | undefined
  older: Entry<V> | undefined
}

/** Expired entries that are looked for at each `set`: more than one, so that they go faster than new ones come. */
const SWEPT_AT_ONCE = 2

/**
 * The order of use is a list of its own. The order of the Map would do, but its first key is found by stepping over all places that were
 * deleted: 10 µs at a thousand entries, and more with more.
 */
export class BoundedMap<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #bounds: Bounds<V>
  readonly #nowMs: () => number
  #newest: Entry<V> | undefined
  #oldest: Entry<V> | undefined
  #weight = 0

  constructor(bounds: Bounds<V>, nowMs: () => number) {
    this.#bounds = bounds
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    return this.#live(key)?.value
  }

  leftMs(key: string): number {
    const entry = this.#live(key)
    return entry === undefined ? 0 : entry.untilMs - this.#nowMs()
  }

  /** Setting is using: reading alone keeps nothing. */
  set(key: string, value: V, forMs: number): void {
    const weight = this.#bounds.weight?.of(value) ?? 0
    const nowMs = this.#nowMs()
    const untilMs = nowMs + forMs
    const known = this.#entries.get(key)
    if (known === undefined) this.#insert({ key, value, untilMs, weight, newer: undefined, older: undefined })
    else this.#update(known, { value, untilMs, weight })
    this.#sweep(nowMs)
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#remove(entry)
  }

  #insert(entry: Entry<V>): void {
    this.#entries.set(entry.key, entry)
    this.#weight += entry.weight
    this.#link(entry)
  }

  #update(entry: Entry<V>, next: Pick<Entry<V>, "value" | "untilMs" | "weight">): void {
    this.#weight += next.weight - entry.weight
    entry.value = next.value
    entry.untilMs = next.untilMs
    entry.weight = next.weight
    if (entry === this.#newest) return
    this.#unlink(entry)
    this.#link(entry)
  }

  #remove(entry: Entry<V>): void {
    this.#entries.delete(entry.key)
    this.#weight -= entry.weight
    this.#unlink(entry)
  }

  #link(entry: Entry<V>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest) this.#newest.newer = entry
    this.#newest = entry
    this.#oldest ??= entry
  }

  #unlink(entry: Entry<V>): void {
    if (entry.older) entry.older.newer = entry.newer
    else this.#oldest = entry.newer
    if (entry.newer) entry.newer.older = entry.older
    else this.#newest = entry.older
  }

  #live(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.untilMs > this.#nowMs()) return entry
    this.#remove(entry)
    return undefined
  }

  #sweep(nowMs: number): void {
    while (this.#isTooMuch() && this.#oldest) this.#remove(this.#oldest)
    for (let swept = 0; swept < SWEPT_AT_ONCE && this.#oldest && this.#oldest.untilMs <= nowMs; swept++)
      this.#remove(this.#oldest)
  }

  #isTooMuch(): boolean {
    const { mostEntries, weight } = this.#bounds
    if (this.#entries.size > mostEntries) return true
    return weight !== undefined && this.#weight > weight.most && this.#entries.size > 1
  }
}
