// One life of a member of a consumer group: it joins, is given partitions, loses them, and ends with the first failure.
import type { Consumer, GroupAssignment } from "@platformatic/kafka"
import type { Clock } from "../calls/clock.ts"
import type { Logger } from "../calls/logger.ts"
import type { KafkaSettings } from "./kafka-options.ts"
import type { KafkaClient } from "./load-kafka.ts"
import { startPositions } from "./start-positions.ts"
import { Tenure } from "./tenure.ts"

export interface MemberOptions {
  readonly kafka: KafkaClient
  readonly settings: KafkaSettings
  readonly groupId: string
  readonly topic: string
  readonly clock: Clock
  readonly logger: Logger
  /** The partitions that this member has from now on; their messages come in its lanes. */
  readonly onTenure: (tenure: Tenure) => void
  readonly onFetched: (seconds: number, messages: number) => void
}

/** A member that is gone is noticed after this time, and its partitions go to another. */
const SESSION_MS = 15_000
const REBALANCE_MS = 30_000
const CLOSE_MS = 2_000

export class GroupMember {
  readonly #o: MemberOptions
  readonly #member: Consumer
  readonly #fetcher: Consumer
  #tenure: Tenure | undefined
  /** Tenures follow each other. */
  #turn: Promise<void> = Promise.resolve()
  #isOver = false
  readonly #ended: Promise<void>
  /** Ends this life; only the first call counts. */
  #end: (failure?: unknown) => void = () => {}

  constructor(options: MemberOptions) {
    this.#o = options
    const { Consumer } = options.kafka
    const connection = { ...options.settings.connection, groupId: options.groupId, retries: 0 }
    this.#member = new Consumer({ ...connection, sessionTimeout: SESSION_MS, rebalanceTimeout: REBALANCE_MS })
    this.#fetcher = new Consumer(connection)
    for (const client of [this.#member, this.#fetcher]) client.topics.trackAll(options.topic)
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (failure) => (failure === undefined ? resolve() : reject(failure))
    })
    this.#ended.catch(() => {})
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
      if (isReset) this.#o.logger.warn({ topic, partition, from: `${from}` }, "messages of a topic are gone unread")
    const { clock, onFetched } = this.#o
    const [member, fetcher, onFailure] = [this.#member, this.#fetcher, this.#end]
    this.#tenure = new Tenure({ member, fetcher, positions, clock, onFetched, onFailure })
    this.#o.onTenure(this.#tenure)
  }

  async #close(): Promise<void> {
    this.#isOver = true
    this.#tenure?.release()
    await this.#turn
    await this.#tenure?.settled()
    // A broker that is away cannot be told: it notices by itself.
    await new Promise<void>((resolve) => {
      const cancel = this.#o.clock.after(CLOSE_MS, resolve)
      this.#member.close(true, () => {
        cancel()
        resolve()
      })
    })
    this.#fetcher.close(true, () => {})
  }
}
