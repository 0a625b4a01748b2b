// The consumer of one job type. It does not stop by itself: after every failure it begins anew with a new client.
import { backoffMs } from "../calls/backoff.ts"
import { sleep } from "../calls/clock.ts"
import { explainFailure } from "./explain-failure.ts"
import { GroupMember, type MemberOptions } from "./group-member.ts"
import type { Tenure } from "./tenure.ts"

export class JobTypeConsumer {
  readonly #o: MemberOptions
  readonly #stop = new AbortController()
  #member: GroupMember | undefined
  #failures = 0
  #ended: Promise<void> | undefined

  constructor(options: MemberOptions) {
    const onTenure = (tenure: Tenure) => {
      this.#failures = 0
      options.onTenure(tenure)
    }
    this.#o = { ...options, onTenure }
  }

  /** Brokers and topic need not be there yet. */
  start(): void {
    this.#ended = this.#supervise()
  }

  /** What is done is committed; then others get the partitions. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#member?.leave()
    await this.#ended
  }

  async #supervise(): Promise<void> {
    const { topic, groupId, settings, logger, clock } = this.#o
    while (!this.#stop.signal.aborted) {
      try {
        this.#member = new GroupMember(this.#o)
        await this.#member.run()
      } catch (error) {
        if (this.#stop.signal.aborted) return
        this.#failures += 1
        const pauseMs = backoffMs(this.#failures)
        const fields = { error: explainFailure(error, settings.brokers, topic), topic, groupId, pauseMs }
        logger.warn(fields, "a consumer of Kafka failed, beginning anew")
        await sleep(clock, pauseMs, this.#stop.signal)
      }
    }
  }
}
