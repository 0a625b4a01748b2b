// Notes on their way to the ledger: in batches, so that a flood of them costs a few writes, and bounded while the ledger is away.
import type { Clock } from "./clock.ts"

interface NoteQueueOptions<T> {
  readonly write: (notes: readonly T[]) => Promise<void>
  readonly dropped: (count: number) => void
  readonly clock: Clock
}

const DELAY_MS = 100
const RETRY_MS = 1_000
const MOST_AT_ONCE = 500
const MOST_WAITING = 10_000

export class NoteQueue<T> {
  readonly #options: NoteQueueOptions<T>
  readonly #waiting: T[] = []
  #isWriting = false
  #cancel: (() => void) | undefined

  constructor(options: NoteQueueOptions<T>) {
    this.#options = options
  }

  add(note: T): void {
    this.#waiting.push(note)
    this.#giveUpOldest()
    this.#schedule(DELAY_MS)
  }

  /** Also after a failed batch: notes that came while it was being written have taken its place. */
  #giveUpOldest(): void {
    const tooMany = this.#waiting.length - MOST_WAITING
    if (tooMany <= 0) return
    this.#waiting.splice(0, tooMany)
    this.#options.dropped(tooMany)
  }

  #schedule(delayMs: number): void {
    this.#cancel ??= this.#options.clock.after(delayMs, () => {
      this.#cancel = undefined
      void this.flush()
    })
  }

  /** Writes what waits. A batch that the ledger does not take stays in front and is tried again: it is never written in part and dropped. */
  async flush(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MOST_AT_ONCE)
        await this.#options.write(batch).catch((error) => {
          this.#waiting.unshift(...batch)
          this.#giveUpOldest()
          throw error
        })
      }
    } catch {
      this.#schedule(RETRY_MS)
    } finally {
      this.#isWriting = false
    }
  }

  async close(): Promise<void> {
    this.#cancel?.()
    await this.flush()
    this.#cancel?.()
  }
}
