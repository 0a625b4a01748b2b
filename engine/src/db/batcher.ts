// Fuses concurrent requests into batches. A batch goes out as soon as a flight is free, never on a timer: alone when idle, large when busy.
import { EngineError } from "../support/errors.ts"

export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown }

/** An item that needs longer than its batch: its neighbours are answered without it. */
export type BatchOutcome<Result> = Outcome<Result> | { readonly later: Promise<Outcome<Result>> }

export interface BatcherOptions<Item, Result> {
  /** One outcome per item, in order. A throw means the whole batch failed; its items are then tried one by one. */
  readonly run: (items: readonly Item[]) => Promise<readonly BatchOutcome<Result>[]>
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
  /** Whether a failed batch is worth splitting: not when the database itself is away. */
  readonly splits?: (error: unknown) => boolean
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly key: string | undefined
  readonly settle: (outcome: Outcome<Result>) => void
}

const DEFAULT_CAPACITY = 20_000
/** Of the event loop: a fraction of what the batch itself will take. */
const MOST_TURNS = 4

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  readonly #busyKeys = new Set<string>()
  #waiting: Waiting<Item, Result>[] = []
  #flights = 0
  #scheduled = false
  #lastSize = 0

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= (this.#options.capacity ?? DEFAULT_CAPACITY)) {
      throw new EngineError("unavailable", "too many requests are waiting for the database", { retryAfterSeconds: 1 })
    }
    return new Promise<Result>((resolve, reject) => {
      const settle = (outcome: Outcome<Result>) => ("value" in outcome ? resolve(outcome.value) : reject(outcome.error))
      this.#waiting.push({ item, key: this.#options.keyOf?.(item), settle })
      this.#schedule()
    })
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
    this.#pump()
  }

  #pump(): void {
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
    for (const { key } of batch) if (key !== undefined) this.#busyKeys.add(key)
    this.#waiting = rest
    return batch
  }

  #isBusy = (key: string | undefined): boolean => key !== undefined && this.#busyKeys.has(key)

  async #fly(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#flights += 1
    const outcomes = await this.#run(batch.map(({ item }) => item))
    this.#flights -= 1
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index] ?? { error: new Error("batch lost an item") }
      if ("later" in outcome) void outcome.later.then((settled) => this.#settle(waiting, settled))
      else this.#settle(waiting, outcome)
    }
    this.#lastSize = batch.length
    if (this.#waiting.length > 0) this.#schedule()
  }

  #settle({ key, settle }: Waiting<Item, Result>, outcome: Outcome<Result>): void {
    if (key !== undefined && this.#busyKeys.delete(key) && this.#waiting.length > 0) this.#schedule()
    settle(outcome)
  }

  /** One bad item never fails its neighbours. */
  async #run(items: readonly Item[]): Promise<readonly BatchOutcome<Result>[]> {
    try {
      return await this.#options.run(items)
    } catch (error) {
      if (items.length === 1 || !(this.#options.splits?.(error) ?? true)) return items.map(() => ({ error }))
      const outcomes: BatchOutcome<Result>[] = []
      for (const item of items) outcomes.push(...(await this.#run([item])))
      return outcomes
    }
  }
}
