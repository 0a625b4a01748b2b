// Where consumers get messages of a topic from. A process that has no broker set up has none, and consumes what is published to it.
import type { TopicRecord } from "../../../model/events/message.ts"
import { type Kernel, perKernel } from "../../kernel/kernel.ts"

export interface TopicReading {
  /** The type of the events; a prefix of the topic's name is the source's affair. */
  readonly type: string
  readonly group: string
  /**
   * When it resolves, the group has moved on; when it rejects, the record is delivered again. The signal tells that the partition is
   * taken away.
   */
  readonly handle: (record: TopicRecord, signal: AbortSignal) => Promise<void>
  /** Records of one partition that are handled side by side, those of one key one after the other. */
  readonly atOnce: number
  readonly log: Kernel["log"]
}

export interface TopicSource {
  /** The reading never stops by itself, whatever the broker does. */
  open(reading: TopicReading): { stop(): Promise<void> }
  /** How long the topic of the type keeps its messages; undefined where it keeps them for ever. */
  retentionMs(type: string): Promise<number | undefined>
}

class Topics {
  #source: TopicSource | undefined

  get source(): TopicSource | undefined {
    return this.#source
  }

  provide(source: TopicSource): void {
    this.#source = source
  }
}

export const topicsOf = perKernel((_: Kernel) => new Topics())
