// The time for which a member of a group has its partitions, from one rebalance to the next: it fetches and commits.
// It keeps its own positions: what a fetch of an earlier tenure answers is not looked at.
import type { Consumer } from "@platformatic/kafka"
import { type Clock, sleep } from "../../calls/clock.ts"
import { isAskedToRejoin } from "./asked-to-rejoin.ts"
import { messagesOf, offsetBehind } from "./group-message.ts"
import { PartitionLane } from "./partition-lane.ts"
import type { StartPosition } from "./start-positions.ts"

export interface TenureOptions {
  /** The one that is in the group. */
  readonly member: Pick<Consumer, "commit">
  /** Another client for fetches: they wait at the broker, and would hold up heartbeats on the same connection. */
  readonly fetcher: Pick<Consumer, "fetch" | "metadata">
  readonly positions: readonly StartPosition[]
  readonly clock: Clock
  /** A fetch was answered: how many messages it brought, and how long it took. */
  readonly onFetched: (seconds: number, messages: number) => void
  readonly onCommitted: () => void
  readonly onFailure: (error: unknown) => void
}

const WAIT_MS = 500
/** From one commit to the next: a commit per message would be most of what the broker does. */
const COMMIT_PAUSE_MS = 100
const MOST_BYTES = 4 * 1024 * 1024
const NO_EPOCH = -1

export class Tenure {
  readonly lanes: readonly PartitionLane[]
  readonly #o: TenureOptions
  readonly #over = new AbortController()
  #committing: Promise<void> | undefined
  /** Something was done that the running commit may not have seen. */
  #isDue = false
  /** Loops that wait until a lane has room again. */
  readonly #waiting: (() => void)[] = []

  constructor(options: TenureOptions) {
    this.#o = options
    this.lanes = options.positions.map(({ topic, partition, from }) => new PartitionLane(topic, partition, from))
  }

  /** Aborted when the partitions are taken away. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  start(): void {
    this.#run().catch((error) => this.fail(error))
  }

  /** Messages are done: what is now done from the first on is committed. Not after the tenure, when others may have the partition. */
  commit(): void {
    if (!this.isOver) this.#commitSoon()
  }

  /** Ends this life of the member; not after the tenure, when what was taken away may fail. */
  fail(error: unknown): void {
    if (!this.isOver) this.#o.onFailure(error)
  }

  /** Nothing more is fetched or begun; what is done by now is committed. */
  release(): void {
    if (this.isOver) return
    this.#over.abort()
    this.#commitSoon()
  }

  /** Commits what was done since the release, while the partitions are still those of this member. */
  async settle(): Promise<void> {
    this.#commitSoon()
    await this.#committing
  }

  #commitSoon(): void {
    for (const resume of this.#waiting.splice(0)) resume()
    this.#isDue = true
    this.#committing ??= this.#commitAll()
  }

  async #run(): Promise<void> {
    if (this.lanes.length === 0) return
    const topics = [...new Set(this.lanes.map(({ topic }) => topic))]
    const { topics: known } = await this.#o.fetcher.metadata({ topics, forceUpdate: true })
    const leaderOf = ({ topic, partition }: PartitionLane) => known.get(topic)?.partitions[partition]?.leader ?? -1
    const idOf = (topic: string) => known.get(topic)?.id ?? ""
    const lanesAt = (node: number) => this.lanes.filter((lane) => leaderOf(lane) === node)
    const nodes = [...new Set(this.lanes.map(leaderOf))]
    await Promise.all(nodes.map((node) => this.#fetchFrom(node, lanesAt(node), idOf)))
  }

  async #fetchFrom(node: number, lanes: readonly PartitionLane[], idOf: (topic: string) => string): Promise<void> {
    while (!this.isOver) {
      const open = lanes.filter(({ hasRoom }) => hasRoom)
      if (open.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
      else await this.#fetch(node, open, idOf)
    }
  }

  async #fetch(node: number, lanes: readonly PartitionLane[], idOf: (topic: string) => string): Promise<void> {
    const askedAt = this.#o.clock.now()
    const { responses } = await this.#o.fetcher.fetch({
      node,
      topics: lanes.map((lane) => ({ topicId: idOf(lane.topic), partitions: [requestOf(lane)] })),
      minBytes: 1,
      maxBytes: MOST_BYTES,
      maxWaitTime: WAIT_MS,
    })
    if (this.isOver) return
    let taken = 0
    for (const { topicId, partitions } of responses)
      for (const { partitionIndex, records } of partitions) {
        const lane = lanes.find(({ topic, partition }) => partition === partitionIndex && idOf(topic) === topicId)
        const last = records?.at(-1)
        if (!lane || !records || !last) continue
        const from = lane.position
        const messages = records.flatMap((batch) => messagesOf(batch, lane, from))
        lane.take(messages, offsetBehind(last))
        taken += messages.length
      }
    this.#o.onFetched((this.#o.clock.now() - askedAt) / 1000, taken)
  }

  async #commitAll(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false
        if (await this.#commitOnce()) await sleep(this.#o.clock, COMMIT_PAUSE_MS, this.signal)
      }
    } catch (error) {
      if (!isAskedToRejoin(error)) this.fail(error)
    } finally {
      this.#committing = undefined
    }
  }

  /** False when there was nothing to commit. */
  async #commitOnce(): Promise<boolean> {
    const due = this.lanes
      .filter(({ handled, committed }) => handled > committed)
      .map((lane) => ({ lane, offset: lane.handled }))
    if (due.length === 0) return false
    const offsets = due.map(({ lane: { topic, partition }, offset }) => ({ topic, partition, offset }))
    await this.#o.member.commit({ offsets: offsets.map((one) => ({ ...one, leaderEpoch: NO_EPOCH })) })
    for (const { lane, offset } of due) lane.committed = offset
    this.#o.onCommitted()
    return true
  }
}

const requestOf = ({ partition, position }: PartitionLane) => ({
  partition,
  fetchOffset: position,
  partitionMaxBytes: MOST_BYTES,
  currentLeaderEpoch: NO_EPOCH,
  lastFetchedEpoch: NO_EPOCH,
})
