// What a consumer has of one partition: messages that wait, some that are being handled, and how far it has come.
import type { ConsumedMessage } from "./consumed-message.ts"

export type HandleMessage = (message: ConsumedMessage, signal: AbortSignal) => Promise<void>

interface LaneOptions {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly handle: HandleMessage
  /** How many are handled side by side, at most; those of one key one after the other. */
  readonly atOnce: number
  /** Aborted when the partition is taken away: nothing more is begun. */
  readonly signal: AbortSignal
  readonly onHandled: () => void
  readonly onFailure: (error: unknown) => void
}

interface Flight {
  readonly offset: bigint
  isDone: boolean
}

const MOST_WAITING = 1_000

export class PartitionLane {
  readonly topic: string
  readonly partition: number
  readonly #options: LaneOptions
  readonly #waiting: ConsumedMessage[] = []
  /** From the first that has not been handled on, by offset. */
  readonly #flights: Flight[] = []
  /** By key: what the next message of the key waits for. */
  readonly #lines = new Map<string | Flight, Promise<void>>()
  #hasFailed = false
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
    this.#beginMore()
  }

  /** What is being handled has ended, one way or the other. Asked when nothing more is begun. */
  async settled(): Promise<void> {
    await Promise.all(this.#lines.values())
  }

  #beginMore(): void {
    while (this.#flights.length < this.#options.atOnce && !this.#isOver) {
      const message = this.#waiting.shift()
      if (!message) return
      this.#begin(message)
    }
  }

  get #isOver(): boolean {
    return this.#hasFailed || this.#options.signal.aborted
  }

  #begin(message: ConsumedMessage): void {
    const flight = { offset: message.offset, isDone: false }
    this.#flights.push(flight)
    const line = message.key ?? flight
    const before = this.#lines.get(line)
    const ended = (before ? before.then(() => this.#handle(message, flight)) : this.#handle(message, flight)).then(
      () => {
        if (this.#lines.get(line) === ended) this.#lines.delete(line)
      },
    )
    this.#lines.set(line, ended)
  }

  async #handle(message: ConsumedMessage, flight: Flight): Promise<void> {
    if (this.#isOver) return
    const { handle, signal, onHandled, onFailure } = this.#options
    try {
      await handle(message, signal)
    } catch (error) {
      this.#hasFailed = true
      // A handler may give up what is taken away from it; it is handled where the partition goes.
      if (!signal.aborted) onFailure(error)
      return
    }
    flight.isDone = true
    this.#advance()
    onHandled()
    this.#beginMore()
  }

  /** Past all that is done without a gap. */
  #advance(): void {
    for (let first = this.#flights[0]; first?.isDone; first = this.#flights[0]) {
      this.handled = first.offset + 1n
      this.#flights.shift()
    }
  }
}
