// Handles the messages of a tenure beside each other, those of one key one after the other, and gives no partition up before they end.
import type { GroupHooks } from "./group-member.ts"
import type { GroupMessage } from "./group-message.ts"
import type { PartitionLane } from "./partition-lane.ts"
import type { Tenure } from "./tenure.ts"

/**
 * When it resolves, the message is never delivered again but after a crash; when it rejects, it and those behind it are delivered
 * again. The signal tells that the partition is taken away: the handler ends soon, or undoes what it did and rejects.
 */
export type HandleMessage = (message: GroupMessage, signal: AbortSignal) => Promise<void>

/** `atOnce`: how many messages of a partition are handled side by side, at most. */
export function inOrder(handle: HandleMessage, atOnce = 1): GroupHooks {
  let current: OrderedHandlers | undefined
  return {
    onTenure: (tenure) => {
      current = new OrderedHandlers(tenure, handle, atOnce)
    },
    onFetched: () => current?.beginMore(),
    onRevoked: async () => current?.ended(),
  }
}

class OrderedHandlers {
  readonly #tenure: Tenure
  readonly #handle: HandleMessage
  readonly #atOnce: number
  readonly #running = new Set<Promise<void>>()

  constructor(tenure: Tenure, handle: HandleMessage, atOnce: number) {
    this.#tenure = tenure
    this.#handle = handle
    this.#atOnce = atOnce
  }

  beginMore(): void {
    for (const lane of this.#tenure.lanes) this.#beginIn(lane)
  }

  /** Asked when nothing more is begun. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  #beginIn(lane: PartitionLane): void {
    while (!this.#tenure.isOver && lane.underWay < this.#atOnce) {
      const message = lane.next
      if (!message) return
      lane.begin(message)
      const running = this.#run(lane, message).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  async #run(lane: PartitionLane, message: GroupMessage): Promise<void> {
    try {
      await this.#handle(message, this.#tenure.signal)
    } catch (error) {
      // The failed message stays under way, so none of its key overtakes it. After a rebalance it is handled by the new owner.
      return this.#tenure.fail(error)
    }
    lane.done(message)
    this.#tenure.commit()
    this.#beginIn(lane)
  }
}
