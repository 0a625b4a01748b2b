// One life of a member of a consumer group: it joins, is given partitions, lets go of them, and ends with the first failure.
import type { Consumer } from "@platformatic/kafka"
import type { Clock } from "../../calls/clock.ts"
import type { Connection, KafkaClient } from "./connection.ts"
import { Heartbeats } from "./heartbeats.ts"
import { shareOut } from "./share-out.ts"
import { type StartPosition, startPositions } from "./start-positions.ts"
import { Tenure } from "./tenure.ts"

/** What is done with messages. */
export interface GroupHooks {
  /** The partitions that this member has from now on; their messages come in its lanes. */
  readonly onTenure: (tenure: Tenure) => void
  /** A fetch was answered: how many messages it brought, and how long it took. */
  readonly onFetched: (seconds: number, messages: number) => void
  /** The tenure is over: resolves when its partitions may go to another. Without it they go at once. */
  readonly onRevoked?: (tenure: Tenure) => Promise<void>
}

export interface MemberOptions extends GroupHooks {
  readonly groupId: string
  /** Members of one group may read different topics. */
  readonly topics: readonly string[]
  readonly clock: Clock
  /** The group had committed an offset that the partition does not have. */
  readonly onReset: (position: StartPosition) => void
  readonly onCommitted: () => void
}

/** A member that is gone is noticed after this time, and its partitions go to another. */
const SESSION_MS = 15_000
/** A member that lets go of its partitions later than this is taken for gone. */
const REBALANCE_MS = 30_000
const CLOSE_MS = 2_000
const NEVER_MS = 2 ** 31 - 1

export class GroupMember {
  readonly #o: MemberOptions
  readonly #kafka: KafkaClient
  readonly #member: Consumer
  readonly #fetcher: Consumer
  #tenure: Tenure | undefined
  #lettingGo: Promise<void> | undefined
  #isOver = false
  readonly #ended: Promise<void>
  /** Ends this life; only the first call counts. */
  #end: (failure?: unknown) => void = () => {}

  constructor({ kafka, options }: Connection, memberOptions: MemberOptions, before?: GroupMember) {
    this.#o = memberOptions
    this.#kafka = kafka
    const connection = { ...options, groupId: memberOptions.groupId, retries: 0 }
    const group = { sessionTimeout: SESSION_MS, rebalanceTimeout: REBALANCE_MS, partitionAssigner: shareOut }
    this.#member = new kafka.Consumer({ ...connection, ...group })
    // The group need not wait for the end of a member that could not leave it: this one is the same.
    if (before) this.#member.memberId = before.#member.memberId
    this.#fetcher = new kafka.Consumer(connection)
    for (const client of [this.#member, this.#fetcher]) client.topics.trackAll(...memberOptions.topics)
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (failure) => {
        this.#isOver = true
        if (failure === undefined) resolve()
        else reject(failure)
      }
    })
    this.#ended.catch(() => {})
  }

  /** Resolves after `leave`, rejects with the first failure. */
  async run(): Promise<void> {
    this.#member.on("error" as never, this.#end as never)
    this.#live().catch(this.#end)
    try {
      await this.#ended
    } finally {
      await this.#close()
    }
  }

  leave(): void {
    this.#end()
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      await this.#join()
      if (this.#isOver) return
      const heartbeats = new Heartbeats({ kafka: this.#kafka, member: this.#member, clock: this.#o.clock })
      try {
        await this.#begin()
        await Promise.race([heartbeats.askedToRejoin, this.#ended])
        await this.#letGo()
      } finally {
        heartbeats.stop()
      }
    }
  }

  async #join(): Promise<void> {
    const options: { heartbeatInterval?: number } = {}
    const joined = this.#member.joinGroup(options)
    // The client refuses an interval longer than the session, and reads it again when it has joined.
    options.heartbeatInterval = NEVER_MS
    await joined
  }

  async #begin(): Promise<void> {
    const positions = await startPositions(this.#member, this.#member.assignments ?? [])
    if (this.#isOver) return
    for (const position of positions) if (position.isReset) this.#o.onReset(position)
    const { clock, onFetched, onCommitted } = this.#o
    const [member, fetcher, onFailure] = [this.#member, this.#fetcher, this.#end]
    this.#tenure = new Tenure({ member, fetcher, positions, clock, onFetched, onCommitted, onFailure })
    this.#lettingGo = undefined
    this.#o.onTenure(this.#tenure)
    this.#tenure.start()
  }

  /** Resolves when nothing of the tenure is under way that has to end before others have its partitions. */
  #letGo(): Promise<void> {
    this.#tenure?.release()
    this.#lettingGo ??= this.#settle(this.#tenure)
    return this.#lettingGo
  }

  async #settle(tenure: Tenure | undefined): Promise<void> {
    if (!tenure) return
    await this.#o.onRevoked?.(tenure)
    await tenure.settle()
  }

  async #close(): Promise<void> {
    await this.#letGo()
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
