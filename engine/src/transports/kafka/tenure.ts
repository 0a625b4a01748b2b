// The time for which a member of a group has its partitions, from one rebalance to the next: it fetches, hands out and commits.
// It keeps its own positions: what a fetch of an earlier tenure answers is not looked at.
import type { Consumer } from "@platformatic/kafka"
import { messagesOf, offsetBehind } from "./consumed-message.ts"
import { type HandleMessage, PartitionLane } from "./partition-lane.ts"
import type { StartPosition } from "./start-positions.ts"

interface TenureOptions {
  /** The one that is in the group. */
  readonly member: Consumer
  /** Another client for fetches: they wait at the broker, and would hold up heartbeats on the same connection. */
  readonly fetcher: Consumer
  readonly positions: readonly StartPosition[]
  readonly handle: HandleMessage
  readonly atOnce: number
  readonly onFailure: (error: unknown) => void
}

const WAIT_MS = 500
const MOST_BYTES = 4 * 1024 * 1024
const NO_EPOCH = -1

export class Tenure {
  readonly #options: TenureOptions
  readonly #lanes: readonly PartitionLane[]
  readonly #over = new AbortController()
  #committing: Promise<void> | undefined
  /** Loops that wait until a lane has room again. */
  readonly #waiting: (() => void)[] = []

  constructor(options: TenureOptions) {
    this.#options = options
    this.#lanes = options.positions.map(
      ({ topic, partition, from }) =>
        new PartitionLane({
          topic,
          partition,
          from,
          handle: options.handle,
          atOnce: options.atOnce,
          signal: this.#over.signal,
          onHandled: () => this.#noteHandled(),
          onFailure: options.onFailure,
        }),
    )
    this.#run().catch((error) => this.#over.signal.aborted || options.onFailure(error))
  }

  /** Nothing more is begun, and what has been handled is committed while the group still takes it. */
  release(): void {
    this.#over.abort()
    this.#noteHandled()
  }

  /** Handlers have ended or given up, and what was handled is committed as far as that is possible. */
  async settled(): Promise<void> {
    for (const lane of this.#lanes) await lane.settled()
    await this.#committing
    this.#commitSoon()
    await this.#committing
  }

  async #run(): Promise<void> {
    if (this.#lanes.length === 0) return
    const topics = [...new Set(this.#lanes.map(({ topic }) => topic))]
    const { topics: known } = await this.#options.fetcher.metadata({ topics, forceUpdate: true })
    const leaderOf = ({ topic, partition }: PartitionLane) => known.get(topic)?.partitions[partition]?.leader ?? -1
    const idOf = (topic: string) => known.get(topic)?.id ?? ""
    const fetchFrom = (node: number) =>
      this.#fetchFrom(
        node,
        this.#lanes.filter((lane) => leaderOf(lane) === node),
        idOf,
      )
    await Promise.all([...new Set(this.#lanes.map(leaderOf))].map(fetchFrom))
  }

  async #fetchFrom(node: number, lanes: readonly PartitionLane[], idOf: (topic: string) => string): Promise<void> {
    while (!this.#over.signal.aborted) {
      const open = lanes.filter(({ hasRoom }) => hasRoom)
      if (open.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
      else await this.#fetch(node, open, idOf)
    }
  }

  async #fetch(node: number, lanes: readonly PartitionLane[], idOf: (topic: string) => string): Promise<void> {
    const { responses } = await this.#options.fetcher.fetch({
      node,
      topics: lanes.map((lane) => ({ topicId: idOf(lane.topic), partitions: [requestOf(lane)] })),
      minBytes: 1,
      maxBytes: MOST_BYTES,
      maxWaitTime: WAIT_MS,
    })
    if (this.#over.signal.aborted) return
    for (const { topicId, partitions } of responses)
      for (const { partitionIndex, records } of partitions) {
        const lane = lanes.find(({ topic, partition }) => partition === partitionIndex && idOf(topic) === topicId)
        const last = records?.at(-1)
        if (!lane || !records || !last) continue
        const from = lane.position
        lane.take(
          records.flatMap((batch) => messagesOf(batch, lane, from)),
          offsetBehind(last),
        )
      }
  }

  #noteHandled(): void {
    for (const resume of this.#waiting.splice(0)) resume()
    this.#commitSoon()
  }

  /** One commit at a time: those that come meanwhile are in the next. */
  #commitSoon(): void {
    this.#committing ??= this.#commit()
      .catch((error) => this.#over.signal.aborted || isAskedToRejoin(error) || this.#options.onFailure(error))
      .then(() => {
        this.#committing = undefined
      })
  }

  async #commit(): Promise<void> {
    for (;;) {
      const due = this.#lanes
        .filter(({ handled, committed }) => handled > committed)
        .map((lane) => ({ lane, offset: lane.handled }))
      if (due.length === 0) return
      await this.#options.member.commit({
        offsets: due.map(({ lane: { topic, partition }, offset }) => ({
          topic,
          partition,
          offset,
          leaderEpoch: NO_EPOCH,
        })),
      })
      for (const { lane, offset } of due) lane.committed = offset
    }
  }
}

const requestOf = ({ partition, position }: PartitionLane) => ({
  partition,
  fetchOffset: position,
  partitionMaxBytes: MOST_BYTES,
  currentLeaderEpoch: NO_EPOCH,
  lastFetchedEpoch: NO_EPOCH,
})

/** The group is being arranged anew: its next heartbeat tells this member, and what is not committed is delivered again. */
const isAskedToRejoin = (error: unknown): boolean =>
  Boolean((error as { findBy?: (name: string, value: unknown) => unknown }).findBy?.("needsRejoin", true))
