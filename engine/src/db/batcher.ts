// Fuses concurrent requests into batches. A batch leaves as soon as a flight is free, never on a timer: alone when idle, large when busy.
// It also decides what happens under contention: an item whose lock another transaction holds leaves its batch and follows alone.
import { EngineError } from "../support/errors.ts"
import { isAway, isContention } from "./errors.ts"
import { AfterCommitError, LOCK_TIMEOUT_MS } from "./transaction.ts"

export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown }

/** The verdict on an item that another transaction kept out of the batch: nothing of it was written, it is run again on its own. */
export const ALONE = Symbol("alone")
export type Verdict<Result> = Outcome<Result> | typeof ALONE

/** How a run treats the locks of other transactions: a batch gives up soon, an item on its own waits for as long as a request may. */
export interface Patience {
  readonly isAlone: boolean
  readonly lockWaitMs: number
}

const TOGETHER: Patience = { isAlone: false, lockWaitMs: 100 }

export interface BatcherOptions<Item, Result> {
  /** One verdict per item, in order. It throws only when nothing at all was written. */
  readonly run: (items: readonly Item[], patience: Patience) => Promise<readonly Verdict<Result>[]>
  readonly maxItems: number
  /** How many batches may be under way at once. */
  readonly flights: number
  /** Items of one key are never in two flights at once: they would only wait for each other's locks. */
  readonly keyOf?: (item: Item) => string
  /** A rough size, so that one batch stays below `maxSize`. */
  readonly sizeOf?: (item: Item) => number
  readonly maxSize?: number
  /** More waiting items than this are refused: the queue in front of the database is full. */
  readonly capacity?: number
  /** Whether an item can be the cause of contention: the others of its batch are run again together. All can, unless this says no. */
  readonly contends?: (item: Item) => boolean
  /** Items that never share a batch. */
  readonly isLoner?: (item: Item) => boolean
  /** How many items may be run on their own at once: each may hold a connection for as long as another transaction holds its lock. */
  readonly loneFlights?: number
  /** How long an item on its own waits for a lock, by how many wait behind it: as long as a request may, unless this says otherwise. */
  readonly loneWaitMs?: (behind: number) => number
  /** Whether a failed batch is worth splitting: not when the database itself is away. */
  readonly splits?: (error: unknown) => boolean
}

/** What becomes of the item at a place of a submitted list. It must not throw. */
export type Settle<Result> = (at: number, outcome: Outcome<Result>) => void

/** The promise of a single item. */
export const promiseOf = <Result>(submit: (settle: Settle<Result>) => void): Promise<Result> =>
  new Promise((resolve, reject) => {
    submit((_, outcome) => ("value" in outcome ? resolve(outcome.value) : reject(outcome.error)))
  })

interface Waiting<Item, Result> {
  readonly item: Item
  readonly key: string | undefined
  readonly at: number
  readonly settle: Settle<Result>
}

const DEFAULT_CAPACITY = 20_000
const DEFAULT_LONE_FLIGHTS = 2
/** How many turns of the event loop a batch waits for more callers: a fraction of the time that the batch itself takes. */
const MOST_TURNS = 4

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  /** How many items of each key are under way, together or alone. */
  readonly #busyKeys = new Map<string, number>()
  readonly #loneKeys = new Set<string>()
  #waiting: Waiting<Item, Result>[] = []
  readonly #loners: Waiting<Item, Result>[] = []
  #flights = 0
  #loneFlights = 0
  #scheduled = false
  #lastSize = 0

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  /** Rejects, and never throws, when too many items are waiting. */
  submit(item: Item): Promise<Result> {
    return promiseOf((settle) => this.submitEach([item], settle))
  }

  /** Each by itself, as if it had been submitted alone; but one function hears of all of them, and there is no promise for each. */
  submitEach(items: readonly Item[], settle: Settle<Result>): void {
    const { keyOf, isLoner } = this.#options
    for (const [at, item] of items.entries()) {
      const waiting = { item, key: keyOf?.(item), at, settle }
      if (this.#isFull) settle(at, { error: full() })
      else if (isLoner?.(item)) this.#sendAlone(waiting)
      else this.#waiting.push(waiting)
    }
    if (this.#waiting.length > 0) this.#schedule()
  }

  get #isFull(): boolean {
    return this.#waiting.length + this.#loners.length >= (this.#options.capacity ?? DEFAULT_CAPACITY)
  }

  /** Idle: after the current turn, so that requests which arrive together leave together. Busy: when no more are coming just now. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    if (this.#lastSize > 1) setImmediate(() => this.#gather(0, 0))
    else queueMicrotask(() => this.#leave())
  }

  /** Callers who were answered together come back one after the other: while each turn brings some, the batch waits for them. */
  #gather(turn: number, seen: number): void {
    const waiting = this.#waiting.length
    if (waiting === seen || waiting >= this.#options.maxItems || turn === MOST_TURNS) this.#leave()
    else setImmediate(() => this.#gather(turn + 1, waiting))
  }

  #leave(): void {
    this.#scheduled = false
    while (this.#flights < this.#options.flights && this.#waiting.length > 0) {
      const batch = this.#take()
      if (batch.length === 0) return
      void this.#fly(batch)
    }
  }

  #take(): Waiting<Item, Result>[] {
    const { maxItems, maxSize = Number.POSITIVE_INFINITY, sizeOf } = this.#options
    const batch: Waiting<Item, Result>[] = []
    const rest: Waiting<Item, Result>[] = []
    let size = 0
    for (const waiting of this.#waiting) {
      const fits = batch.length < maxItems && (batch.length === 0 || size < maxSize) && !this.#isBusy(waiting.key)
      if (fits) size += sizeOf?.(waiting.item) ?? 0
      ;(fits ? batch : rest).push(waiting)
    }
    for (const { key } of batch) if (key !== undefined) this.#busyKeys.set(key, (this.#busyKeys.get(key) ?? 0) + 1)
    this.#waiting = rest
    return batch
  }

  #isBusy = (key: string | undefined): boolean => key !== undefined && this.#busyKeys.has(key)

  async #fly(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#flights += 1
    const verdicts = await this.#runTogether(batch.map(({ item }) => item))
    this.#flights -= 1
    for (const [index, waiting] of batch.entries()) {
      const verdict = verdicts[index] ?? { error: new Error("batch lost an item") }
      if (verdict === ALONE) this.#sendAlone(waiting)
      else this.#settle(waiting, verdict)
    }
    this.#lastSize = batch.length
    if (this.#waiting.length > 0) this.#schedule()
  }

  #settle({ key, at, settle }: Waiting<Item, Result>, outcome: Outcome<Result>): void {
    if (key !== undefined) this.#release(key)
    settle(at, outcome)
  }

  #release(key: string): void {
    const left = (this.#busyKeys.get(key) ?? 1) - 1
    if (left > 0) this.#busyKeys.set(key, left)
    else if (this.#busyKeys.delete(key) && this.#waiting.length > 0) this.#schedule()
  }

  /** A failure concerns the items it is caused by: contention sends those away that can contend, anything else is found one by one. */
  async #runTogether(items: readonly Item[]): Promise<readonly Verdict<Result>[]> {
    try {
      return await this.#options.run(items, TOGETHER)
    } catch (error) {
      if (isContention(error)) return this.#runWithoutContenders(items)
      if (items.length === 1 || !this.#splits(error)) return items.map(() => ({ error }))
      const verdicts: Verdict<Result>[] = []
      for (const item of items) verdicts.push(...(await this.#runTogether([item])))
      return verdicts
    }
  }

  async #runWithoutContenders(items: readonly Item[]): Promise<readonly Verdict<Result>[]> {
    const { contends = () => true } = this.#options
    const free = items.filter((item) => !contends(item))
    if (free.length === 0 || free.length === items.length) return items.map(() => ALONE)
    const verdicts = await this.#runTogether(free)
    return items.map((item) => verdicts[free.indexOf(item)] ?? ALONE)
  }

  #splits(error: unknown): boolean {
    if (error instanceof AfterCommitError || isAway(error)) return false
    return this.#options.splits?.(error) ?? true
  }

  #sendAlone(waiting: Waiting<Item, Result>): void {
    this.#loners.push(waiting)
    this.#pumpLoners()
  }

  #pumpLoners(): void {
    while (this.#loneFlights < (this.#options.loneFlights ?? DEFAULT_LONE_FLIGHTS)) {
      const at = this.#loners.findIndex(({ key }) => key === undefined || !this.#loneKeys.has(key))
      const [next] = at < 0 ? [] : this.#loners.splice(at, 1)
      if (!next) return
      void this.#flyAlone(next)
    }
  }

  async #flyAlone(waiting: Waiting<Item, Result>): Promise<void> {
    this.#loneFlights += 1
    if (waiting.key !== undefined) this.#loneKeys.add(waiting.key)
    const outcome = await this.#runAlone(waiting.item)
    this.#loneFlights -= 1
    if (waiting.key !== undefined) this.#loneKeys.delete(waiting.key)
    this.#settle(waiting, outcome)
    this.#pumpLoners()
  }

  async #runAlone(item: Item): Promise<Outcome<Result>> {
    try {
      const lockWaitMs = this.#options.loneWaitMs?.(this.#loners.length) ?? LOCK_TIMEOUT_MS
      const [verdict] = await this.#options.run([item], { isAlone: true, lockWaitMs })
      return verdict === ALONE || verdict === undefined ? { error: new Error("an item alone has no verdict") } : verdict
    } catch (error) {
      return { error }
    }
  }
}

const full = () =>
  new EngineError("unavailable", "too many requests are waiting for the database", { retryAfterSeconds: 1 })
