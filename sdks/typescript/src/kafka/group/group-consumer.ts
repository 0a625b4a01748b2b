// A consumer that does not stop by itself: after every failure it begins anew with new clients, as the client's own do not.
import { backoffMs } from "../../calls/backoff.ts"
import { sleep } from "../../calls/clock.ts"
import type { Connection } from "./connection.ts"
import { GroupMember, type MemberOptions } from "./group-member.ts"

export interface GroupOptions extends Omit<MemberOptions, "onCommitted"> {
  /** Asked at every beginning: what it reads may have changed. */
  readonly connect: () => Promise<Connection>
  /** Called after each failure. The consumer begins anew after the pause. */
  readonly onFailure: (error: unknown, pauseMs: number) => void
}

const LONGEST_PAUSE_MS = 5_000

export class GroupConsumer {
  readonly #o: GroupOptions
  readonly #stop = new AbortController()
  #member: GroupMember | undefined
  /** Since it last got on. */
  #failures = 0
  readonly #ended: Promise<void>

  private constructor(options: GroupOptions) {
    this.#o = options
    this.#ended = this.#supervise()
  }

  /** Brokers and topics need not be there yet. */
  static start = (options: GroupOptions): GroupConsumer => new GroupConsumer(options)

  /** What is done is committed; then others get the partitions. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#member?.leave()
    await this.#ended
  }

  async #supervise(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const begunAt = this.#o.clock.now()
      try {
        await this.#live()
      } catch (error) {
        if (this.#stop.signal.aborted) return
        const hasLasted = this.#o.clock.now() - begunAt > LONGEST_PAUSE_MS
        this.#failures = hasLasted ? 1 : this.#failures + 1
        await this.#pauseAfter(error)
      }
    }
  }

  async #live(): Promise<void> {
    const connection = await this.#o.connect()
    const onCommitted = () => {
      this.#failures = 0
    }
    this.#member = new GroupMember(connection, { ...this.#o, onCommitted }, this.#member)
    if (this.#stop.signal.aborted) this.#member.leave()
    await this.#member.run()
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const pauseMs = Math.min(backoffMs(this.#failures), LONGEST_PAUSE_MS)
    this.#o.onFailure(error, pauseMs)
    await sleep(this.#o.clock, pauseMs, this.#stop.signal)
  }
}
