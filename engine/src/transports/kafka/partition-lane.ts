// What a consumer has of one partition: messages that wait, handled one after the other, and how far it has come.
import type { ConsumedMessage } from "./consumed-message.ts"

export type HandleMessage = (message: ConsumedMessage, signal: AbortSignal) => Promise<void>

interface LaneOptions {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly handle: HandleMessage
  /** Aborted when the partition is taken away: nothing more is begun. */
  readonly signal: AbortSignal
  readonly onHandled: () => void
  readonly onFailure: (error: unknown) => void
}

const MOST_WAITING = 1_000

export class PartitionLane {
  readonly topic: string
  readonly partition: number
  readonly #options: LaneOptions
  readonly #waiting: ConsumedMessage[] = []
  #running: Promise<void> | undefined
  /** The offset that is fetched next. */
  position: bigint
  /** All before this offset has been handled. */
  handled: bigint
  /** What the group knows of that. */
  committed: bigint

  constructor(options: LaneOptions) {
    this.#options = options
    this.topic = options.topic
    this.partition = options.partition
    this.position = options.from
    this.handled = options.from
    this.committed = options.from
  }

  get hasRoom(): boolean {
    return this.#waiting.length < MOST_WAITING
  }

  take(messages: readonly ConsumedMessage[], position: bigint): void {
    this.#waiting.push(...messages)
    this.position = position
    this.#running ??= this.#run()
  }

  /** What is being handled has ended, one way or the other. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    const { handle, signal, onHandled, onFailure } = this.#options
    try {
      for (let next = this.#waiting.shift(); next && !signal.aborted; next = this.#waiting.shift()) {
        await handle(next, signal)
        this.handled = next.offset + 1n
        onHandled()
      }
    } catch (error) {
      // A handler may give up what is taken away from it; it is handled where the partition goes.
      if (!signal.aborted) onFailure(error)
      return
    }
    this.#running = undefined
  }
}
