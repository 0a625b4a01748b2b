// What a member of a group has of one partition: messages that wait, which of them may begin, and how far all is done.
import type { GroupMessage } from "./group-message.ts"

/** How far messages are fetched beyond the first that is not done. */
const MOST_AHEAD = 1_000n

export class PartitionLane {
  readonly topic: string
  readonly partition: number
  readonly #waiting: GroupMessage[] = []
  /** Offsets of messages that are not done, lowest first. */
  readonly #open = new Set<bigint>()
  readonly #busyKeys = new Set<string>()
  #position: bigint
  /** What the group knows to be done. */
  committed: bigint

  constructor(topic: string, partition: number, from: bigint) {
    this.topic = topic
    this.partition = partition
    this.#position = from
    this.committed = from
  }

  /** The offset that is fetched next. */
  get position(): bigint {
    return this.#position
  }

  /** All before this offset is done. */
  get handled(): bigint {
    for (const offset of this.#open) return offset
    return this.#position
  }

  get hasRoom(): boolean {
    return this.#position - this.handled < MOST_AHEAD
  }

  /** How many have begun and are not done. */
  get underWay(): number {
    return this.#busyKeys.size
  }

  take(messages: readonly GroupMessage[], position: bigint): void {
    for (const message of messages) this.#open.add(message.offset)
    this.#waiting.push(...messages)
    this.#position = position
  }

  /** The first message whose key has none under way: those of one key are handled one after the other. */
  get next(): GroupMessage | undefined {
    return this.#waiting.find((message) => !this.#busyKeys.has(keyOf(message)))
  }

  /** The message is under way until `done`. */
  begin(message: GroupMessage): void {
    this.#waiting.splice(this.#waiting.indexOf(message), 1)
    this.#busyKeys.add(keyOf(message))
  }

  done(message: GroupMessage): void {
    this.#open.delete(message.offset)
    this.#busyKeys.delete(keyOf(message))
  }
}

/** One without a key waits for no other. A key may be any text: the mark in front tells the two apart. */
const keyOf = ({ key, offset }: GroupMessage): string => (key === null ? `@${offset}` : `=${key}`)
