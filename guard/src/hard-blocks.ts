// Blocked addresses and agents: a filter in this process says "certainly not" or "perhaps", and the ledger decides about "perhaps".
import { randomBytes } from "node:crypto"
import type { Block, Blocked, BlockKind, Ledger } from "./ledger.ts"
import type { Observer } from "./observer.ts"
import { agentKey } from "./rules/agent-key.ts"
import { type BloomFilter, bloomFilter, type FilterSize } from "./rules/bloom-filter.ts"
import type { Awaitable } from "./stores/awaitable.ts"
import { BoundedMap } from "./stores/bounded-map.ts"

type Filters = Readonly<Record<BlockKind, BloomFilter>>

/** What the ledger said. `undefined` in it: not blocked. */
interface Confirmed {
  readonly block: Block | undefined
  readonly atMs: number
}

export interface HardBlockOptions {
  readonly ledger: Ledger
  readonly observer: Observer
  readonly filter: FilterSize
  readonly nowMs: () => number
}

/** An unblock counts on every replica within this time, whether or not the replica hears of it. */
const CONFIRMED_MS = 5_000
/** An answer of the ledger is kept longer than it is trusted: while the ledger is away the last word stands. */
const KEPT_MS = 3_600_000
const MOST_CONFIRMED = 10_000
/** Entries after which a rebuild lets requests through: 5,000 take about 10 ms. */
const PAUSE_AFTER = 5_000

export class HardBlocks {
  readonly #options: HardBlockOptions
  readonly #confirmed: BoundedMap<Confirmed>
  /** Questions to the ledger that are under way: a flood from one blocked address asks once, not once for each request. */
  readonly #asking = new Map<string, Promise<Block | undefined>>()
  /** The ones that requests are judged by: a rebuild replaces them, there is no second copy that is refreshed instead. */
  #filters: Filters
  /** Added while a rebuild reads the ledger; it may have passed their place already. */
  #addedSince: Blocked[] | undefined
  #rebuilding: Promise<void> | undefined

  constructor(options: HardBlockOptions) {
    this.#options = options
    this.#confirmed = new BoundedMap({ mostEntries: MOST_CONFIRMED }, options.nowMs)
    this.#filters = emptyFilters(options.filter)
  }

  get counts(): { readonly addresses: number; readonly agents: number } {
    return { addresses: this.#filters.address.count, agents: this.#filters.agent.count }
  }

  /** What the filter says without the ledger. */
  mayHold(kind: BlockKind, text: string): boolean {
    return this.#filters[kind].has(comparedValue(kind, text))
  }

  /** Undefined at once for nearly all that are not blocked. Rejects where the ledger is away and nothing was heard of it before. */
  find(kind: BlockKind, text: string): Awaitable<Block | undefined> {
    const value = comparedValue(kind, text)
    if (!this.#filters[kind].has(value)) return undefined
    const blocked = { kind, value }
    const known = this.#confirmed.get(idOf(blocked))
    if (known && this.#options.nowMs() - known.atMs < CONFIRMED_MS) return this.#hit(kind, known.block)
    return this.#confirm(blocked, known)
  }

  async #confirm(blocked: Blocked, known: Confirmed | undefined): Promise<Block | undefined> {
    try {
      return this.#hit(blocked.kind, await (this.#asking.get(idOf(blocked)) ?? this.#ask(blocked)))
    } catch (error) {
      if (known === undefined) throw error
      return this.#hit(blocked.kind, known.block)
    }
  }

  #ask(blocked: Blocked): Promise<Block | undefined> {
    const id = idOf(blocked)
    const isLatest = () => this.#asking.get(id) === asked
    const asked = this.#options.ledger
      .findBlock(blocked)
      .then((block) => {
        // A block that has changed meanwhile was asked about anew: this answer may be from before the change.
        if (isLatest()) this.#confirmed.set(id, { block, atMs: this.#options.nowMs() }, KEPT_MS)
        return block
      })
      .catch((error: unknown) => {
        this.#options.observer.ledgerFailed?.("a blocked address or agent could not be looked up", error)
        throw error
      })
      .finally(() => {
        if (isLatest()) this.#asking.delete(id)
      })
    this.#asking.set(id, asked)
    return asked
  }

  #hit(kind: BlockKind, block: Block | undefined): Block | undefined {
    this.#options.observer.filterHit?.(kind, block !== undefined)
    return block
  }

  /** Takes effect at the next request of this process. What the ledger said before is no longer trusted. */
  changed({ kind, value }: Blocked): void {
    const blocked = { kind, value: comparedValue(kind, value) }
    this.#confirmed.delete(idOf(blocked))
    this.#asking.delete(idOf(blocked))
    this.#filters[kind].add(blocked.value)
    this.#addedSince?.push(blocked)
  }

  /**
   * New filters from the ledger, with a new secret. Rejects, and keeps the old ones, when the ledger cannot be read to its end. Asked for while one is
   * under way, it is that one.
   */
  rebuild(): Promise<void> {
    this.#rebuilding ??= this.#rebuild().finally(() => {
      this.#rebuilding = undefined
    })
    return this.#rebuilding
  }

  async #rebuild(): Promise<void> {
    this.#addedSince = []
    try {
      const filters = emptyFilters(this.#options.filter)
      let read = 0
      for await (const { kind, value } of this.#options.ledger.blocks()) {
        filters[kind].add(comparedValue(kind, value))
        if (++read % PAUSE_AFTER === 0) await new Promise((resume) => setImmediate(resume))
      }
      for (const { kind, value } of this.#addedSince) filters[kind].add(value)
      this.#filters = filters
    } finally {
      this.#addedSince = undefined
    }
  }
}

const emptyFilters = (size: FilterSize): Filters => ({
  address: bloomFilter(size, randomBytes(16).toString("hex")),
  agent: bloomFilter(size, randomBytes(16).toString("hex")),
})

const idOf = ({ kind, value }: Blocked): string => `${kind}:${value}`

export const comparedValue = (kind: BlockKind, text: string): string => (kind === "agent" ? agentKey(text) : text)
