// A consumer that does not stop by itself: it begins anew with a new client after every failure, as the client's own do not.
import { explainFailure } from "./explain-failure.ts"
import { GroupMember, type GroupOptions } from "./group-member.ts"

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export class GroupConsumer {
  readonly #options: GroupOptions
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  #member: GroupMember | undefined
  /** Something was handled since the last failure. */
  #hasWorked = false

  private constructor(options: GroupOptions) {
    this.#options = {
      ...options,
      handle: async (message, signal) => {
        await options.handle(message, signal)
        this.#hasWorked = true
      },
    }
    this.#ended = this.#supervise()
  }

  /** Brokers need not be there yet. */
  static start = (options: GroupOptions): GroupConsumer => new GroupConsumer(options)

  /** Handlers that run are waited for; what they have handled is committed. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#member?.leave()
    await this.#ended
  }

  async #supervise(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    while (!this.#stop.signal.aborted) {
      const failure = await this.#live()
      if (failure === undefined) return
      pauseMs = this.#hasWorked ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      this.#hasWorked = false
      const { groupId, topics, log } = this.#options
      log.warn({ err: failure, groupId, topics, pauseMs }, "a consumer of Kafka begins anew")
      await pause(pauseMs, this.#stop.signal)
    }
  }

  async #live(): Promise<Error | undefined> {
    try {
      this.#member = await GroupMember.open(this.#options)
      if (this.#stop.signal.aborted) this.#member.leave()
      await this.#member.run()
      return undefined
    } catch (error) {
      return explainFailure(error, this.#options.settings.kafkaSeedBrokers)
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
