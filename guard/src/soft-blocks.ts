// Blocks that run out by themselves. This process remembers those it has met: a blocked caller is refused without a call of the store.
import { rhythmBlockKey, type Space, softBlockKey, timesKey } from "./keys.ts"
import type { SoftBlock } from "./ledger.ts"
import type { RhythmClass } from "./route-class.ts"
import { type Awaitable, after } from "./stores/awaitable.ts"
import { BoundedMap } from "./stores/bounded-map.ts"
import type { FoundBlock, Store } from "./stores/store.ts"
import type { Rule } from "./verdict.ts"

interface Known {
  readonly reason: string
  readonly untilMs: number
  checkedMs: number
}

export interface NewBlock {
  readonly space: Space
  readonly rule: Rule
  readonly subject: string
  readonly reason: string
  readonly forMs?: number
  readonly by?: string
}

interface SoftBlockOptions {
  readonly store: Store
  readonly nowMs: () => number
  readonly date: () => Date
  /** Notes the block for the ledger. */
  readonly note: (block: SoftBlock) => void
}

export const SOFT_BLOCK_MS = 300_000
const MOST_KNOWN = 100_000
/** A block that was lifted on another replica ends here within this time and the next request. */
const RECHECK_MS = 5_000

export class SoftBlocks {
  readonly #options: SoftBlockOptions
  readonly #known: BoundedMap<Known>

  constructor(options: SoftBlockOptions) {
    this.#options = options
    this.#known = new BoundedMap({ mostEntries: MOST_KNOWN }, options.nowMs)
  }

  find(key: string): FoundBlock | undefined {
    if (this.#known.size === 0) return undefined
    const known = this.#known.get(key)
    if (known === undefined) return undefined
    const nowMs = this.#options.nowMs()
    if (nowMs - known.checkedMs >= RECHECK_MS) this.#recheck(key, known)
    return { key, reason: known.reason, leftMs: known.untilMs - nowMs }
  }

  /** In the background: the request at hand is answered by what is known. A store that does not answer changes nothing. */
  #recheck(key: string, known: Known): void {
    known.checkedMs = this.#options.nowMs()
    const lift = (leftMs: number) => {
      if (leftMs <= 0) this.#known.delete(key)
    }
    void Promise.resolve(after(this.#options.store.blockLeftMs(key), lift)).catch(() => {})
  }

  /** Whether it is news here. */
  learn({ key, reason, leftMs }: FoundBlock): boolean {
    const isNew = this.#known.get(key) === undefined
    const nowMs = this.#options.nowMs()
    this.#known.set(key, { reason, untilMs: nowMs + leftMs, checkedMs: nowMs }, leftMs)
    return isNew
  }

  make(block: NewBlock): Awaitable<void> {
    return this.#make(softBlockKey(block.space, block.rule, block.subject), block)
  }

  /**
   * In the class of routes where the rhythm was found. Request times that were the reason are forgotten: the client begins afresh when the
   * block ends, and is not blocked again for what it was blocked for before.
   */
  makeForRhythm({
    routeClass,
    ...rest
  }: Omit<NewBlock, "rule"> & { readonly routeClass: RhythmClass }): Awaitable<void> {
    const { space, subject } = rest
    const made = this.#make(rhythmBlockKey(space, routeClass, subject), { ...rest, rule: "regularity" })
    return after(made, () => this.#options.store.forget([timesKey(space, routeClass, subject)]))
  }

  #make(key: string, { space, rule, subject, reason, forMs = SOFT_BLOCK_MS, by }: NewBlock): Awaitable<void> {
    const { store, date, note } = this.#options
    const isNew = this.learn({ key, reason, leftMs: forMs })
    const at = date()
    if (space === "live" && (isNew || by !== undefined))
      note({ subject, rule, reason, by, at, until: new Date(at.getTime() + forMs) })
    return store.block(key, reason, forMs)
  }

  /** A block that an operator made on another replica; each replica may have a memory of its own. */
  learnShared({
    rule,
    subject,
    reason,
    forMs,
  }: Pick<SoftBlock, "rule" | "subject" | "reason"> & { forMs: number }): Awaitable<void> {
    const key = softBlockKey("live", rule, subject)
    this.learn({ key, reason, leftMs: forMs })
    return this.#options.store.block(key, reason, forMs)
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#known.delete(key)
  }
}
