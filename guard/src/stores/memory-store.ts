// Counters in this process: for one replica, and for each of several while the shared store is gone.
import { admit, leftWindow } from "../rules/sliding-window.ts"
import { BoundedMap } from "./bounded-map.ts"
import { ADDRESSES_KEPT, ADDRESSES_KEPT_MS, TIMES_KEPT, TIMES_KEPT_MS } from "./keeping.ts"
import type { Answer, FailureNote, FoundBlock, Look, LookQuestion, Question, RateQuestion, Store } from "./store.ts"

export interface MemoryStoreOptions {
  readonly nowMs?: () => number
  /** The limit for each kind of counter. A new one takes the place of the one that was unused for longest. */
  readonly mostClients?: number
}

/** A million addresses that call once hold 65 MB at this bound, and two million no more: decision 0030. */
const MOST_CLIENTS = 100_000
/** Calls that are remembered over all clients, for those with high limits of their own. */
const MOST_CALLS = 2_000_000

/**
 * All that follow are moved when some are cut off: one by one that took 13 µs of a request with 100,000 calls in the window. Fewer than a
 * thousand, and no more than are in the window, are kept beyond their time.
 */
const isWorthCutting = (left: number, length: number): boolean => left >= 1_000 || left * 2 >= length

export class MemoryStore implements Store {
  readonly state = { kind: "memory", isUp: true } as const
  readonly #nowMs: () => number
  readonly #windows: BoundedMap<number[]>
  readonly #failures: BoundedMap<Map<string, number>>
  readonly #times: BoundedMap<number[]>
  readonly #blocks: BoundedMap<string>
  readonly #addresses: BoundedMap<Set<string>>

  constructor({ nowMs = () => performance.now(), mostClients = MOST_CLIENTS }: MemoryStoreOptions = {}) {
    const bounds = { mostEntries: mostClients }
    this.#nowMs = nowMs
    this.#windows = new BoundedMap({ ...bounds, weight: { most: MOST_CALLS, of: ({ length }) => length } }, nowMs)
    this.#failures = new BoundedMap(bounds, nowMs)
    this.#times = new BoundedMap(bounds, nowMs)
    this.#blocks = new BoundedMap(bounds, nowMs)
    this.#addresses = new BoundedMap(bounds, nowMs)
  }

  /** Entries of all kinds. */
  get size(): number {
    const kinds = [this.#windows, this.#failures, this.#times, this.#blocks, this.#addresses]
    return kinds.reduce((sum, { size }) => sum + size, 0)
  }

  ask({ rate, blocks, times }: Question): Answer {
    const admission = rate && this.#admit(rate)
    const isRefused = admission?.isAdmitted === false
    if (isRefused && rate?.isEnforced) return { rate: admission }
    const asked = isRefused ? blocks.filter(({ isEnforced }) => isEnforced) : blocks
    const block = this.#findBlock(asked)
    if (block && blocks.some(({ key, isEnforced }) => isEnforced && key === block.key))
      return { rate: admission, block }
    const isNoted = times !== undefined && (times.isEnforced || (!isRefused && !block))
    return { rate: admission, block, timesMs: isNoted ? this.#note(times.key) : undefined }
  }

  /** A first call is a list of one: an empty list that is pushed to takes room for seventeen, and most addresses call once. */
  #admit({ key, requests, windowMs }: RateQuestion) {
    const nowMs = this.#nowMs()
    const known = this.#windows.get(key)
    const left = known === undefined ? 0 : leftWindow(known, nowMs, windowMs)
    const admission = admit((known?.length ?? 0) - left, requests)
    if (known && isWorthCutting(left, known.length)) known.splice(0, left)
    const calls = known ?? (admission.isAdmitted ? [nowMs] : [])
    if (known && admission.isAdmitted) known.push(nowMs)
    this.#windows.set(key, calls, windowMs + 1000)
    return admission
  }

  #findBlock(asked: readonly { readonly key: string }[]): FoundBlock | undefined {
    if (this.#blocks.size === 0) return undefined
    for (const { key } of asked) {
      const reason = this.#blocks.get(key)
      if (reason !== undefined) return { key, reason, leftMs: this.#blocks.leftMs(key) }
    }
    return undefined
  }

  #note(key: string): readonly number[] {
    const nowMs = this.#nowMs()
    const known = this.#times.get(key)
    known?.push(nowMs)
    const times = known ?? [nowMs]
    if (times.length > TIMES_KEPT) times.shift()
    this.#times.set(key, times, TIMES_KEPT_MS)
    return times
  }

  noteFailures(notes: readonly FailureNote[]): number[] {
    return notes.map(({ key, member, windowMs, most }) => {
      const nowMs = this.#nowMs()
      const members = this.#failures.get(key) ?? new Map<string, number>()
      for (const [old, atMs] of members) if (leftWindow([atMs], nowMs, windowMs) > 0) members.delete(old)
      if (!members.has(member) && members.size < most) members.set(member, nowMs)
      this.#failures.set(key, members, windowMs + 1000)
      return members.size
    })
  }

  block(key: string, reason: string, forMs: number): void {
    this.#blocks.set(key, reason, forMs)
  }

  blockLeftMs(key: string): number {
    return this.#blocks.leftMs(key)
  }

  remember(key: string, address: string): void {
    const known = this.#addresses.get(key) ?? new Set<string>()
    known.delete(address)
    known.add(address)
    for (const oldest of known) if (known.size > ADDRESSES_KEPT) known.delete(oldest)
    this.#addresses.set(key, known, ADDRESSES_KEPT_MS)
  }

  isRemembered(key: string, address: string): boolean {
    return this.#addresses.get(key)?.has(address) ?? false
  }

  forget(keys: readonly string[]): void {
    for (const key of keys)
      for (const kind of [this.#windows, this.#failures, this.#times, this.#blocks]) kind.delete(key)
  }

  /** Entries of a window or a counter. */
  countOf(key: string, windowMs: number): number {
    const atMs = this.#windows.get(key) ?? [...(this.#failures.get(key)?.values() ?? [])]
    return atMs.length - leftWindow(atMs, this.#nowMs(), windowMs)
  }

  look({ windows, blocks, times }: LookQuestion): Look {
    return {
      counts: Object.fromEntries(windows.map(({ key, windowMs }) => [key, this.countOf(key, windowMs)])),
      blocks: blocks.flatMap((key) => this.#findBlock([{ key }]) ?? []),
      timesMs: times.map((key) => this.#times.get(key) ?? []),
    }
  }

  async close(): Promise<void> {}
}
