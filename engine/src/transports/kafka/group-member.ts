// One life of a member of a consumer group: it joins, is given partitions, loses them, and ends with the first failure.
import type { Consumer, GroupAssignment } from "@platformatic/kafka"
import type { Logger } from "../../support/log.ts"
import { clientOptions, type KafkaSettings } from "./client-options.ts"
import { closeWithin } from "./close-within.ts"
import { loadClient } from "./load-client.ts"
import type { HandleMessage } from "./partition-lane.ts"
import { startPositions } from "./start-positions.ts"
import { Tenure } from "./tenure.ts"

export interface GroupOptions {
  readonly settings: KafkaSettings
  readonly groupId: string
  readonly topics: readonly string[]
  /**
   * When it resolves, the message is never delivered again but after a crash; when it rejects, it and those behind it are delivered
   * again. The signal tells that the partition is taken away: the handler ends soon, or undoes what it did and rejects.
   */
  readonly handle: HandleMessage
  /** How many messages of a partition are handled side by side, those of one key one after the other; 1. */
  readonly atOnce?: number
  readonly log: Pick<Logger, "warn" | "info">
}

/** A member that is gone is noticed after this time, and its partitions go to another. */
const SESSION_MS = 15_000
const REBALANCE_MS = 30_000

export class GroupMember {
  readonly #options: GroupOptions
  readonly #member: Consumer
  readonly #fetcher: Consumer
  #tenure: Tenure | undefined
  /** Tenures follow each other: one begins when the handlers of the one before have ended. */
  #turn: Promise<void> = Promise.resolve()
  #isOver = false
  readonly #ended: Promise<void>
  /** Ends this life; only the first call counts. */
  #end: (failure?: unknown) => void = () => {}

  private constructor(options: GroupOptions, member: Consumer, fetcher: Consumer) {
    this.#options = options
    this.#member = member
    this.#fetcher = fetcher
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (failure) => (failure === undefined ? resolve() : reject(failure))
    })
    this.#ended.catch(() => {})
  }

  static async open(options: GroupOptions): Promise<GroupMember> {
    const { Consumer } = await loadClient()
    const connection = { ...clientOptions(options.settings), groupId: options.groupId, retries: 0 }
    const timeouts = { sessionTimeout: SESSION_MS, rebalanceTimeout: REBALANCE_MS }
    const clients = [new Consumer({ ...connection, ...timeouts }), new Consumer(connection)] as const
    for (const client of clients) client.topics.trackAll(...options.topics)
    return new GroupMember(options, ...clients)
  }

  /** Resolves after `leave`, rejects with the first failure. */
  async run(): Promise<void> {
    this.#member.on("error" as never, this.#end as never)
    this.#member.on("consumer:heartbeat:error", ({ error }) => this.#end(error))
    this.#member.on("consumer:group:rebalance", () => this.#tenure?.release())
    this.#member.on("consumer:group:join", ({ assignments = [] }) => this.#begin(assignments))
    try {
      await Promise.race([this.#member.joinGroup({}).then(() => this.#ended), this.#ended])
    } finally {
      await this.#close()
    }
  }

  leave(): void {
    this.#end()
  }

  #begin(assignments: readonly GroupAssignment[]): void {
    this.#tenure?.release()
    this.#turn = this.#turn.then(() => this.#follow(assignments)).catch(this.#end)
  }

  async #follow(assignments: readonly GroupAssignment[]): Promise<void> {
    await this.#tenure?.settled()
    if (this.#isOver) return
    const positions = await startPositions(this.#member, assignments)
    for (const { topic, partition, from, isReset } of positions)
      if (isReset)
        this.#options.log.warn({ topic, partition, from: String(from) }, "records of a topic are gone unread")
    this.#tenure = new Tenure({
      member: this.#member,
      fetcher: this.#fetcher,
      positions,
      handle: this.#options.handle,
      atOnce: this.#options.atOnce ?? 1,
      onFailure: this.#end,
    })
  }

  async #close(): Promise<void> {
    this.#isOver = true
    this.#tenure?.release()
    await this.#turn
    await this.#tenure?.settled()
    // A broker that is away cannot be told: it notices by itself.
    await closeWithin((done) => this.#member.close(true, done))
    this.#fetcher.close(true, () => {})
  }
}
