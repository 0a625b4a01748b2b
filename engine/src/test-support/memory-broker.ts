// Kafka in memory, for tests of what the engine does with it: topics with partitions, groups with offsets, and faults on demand.
import type { JobBroker, JobMessage, Progress, Publication } from "../operations/jobs/dispatch/broker.ts"

export interface Published extends JobMessage {
  readonly partition: number
  readonly offset: number
}

interface Topic {
  readonly messages: Published[]
  first: number
  end: number
  committed: number | undefined
}

type Fault = (message: JobMessage) => Publication | "lose-answer" | undefined

/** One partition for each type, so that order is seen. */
export class MemoryBroker implements JobBroker {
  readonly #topics = new Map<string, Topic>()
  isAway = false
  isClosed = false
  /** What is said of a message instead of writing it; `lose-answer` writes it and says that it is unknown. */
  fault: Fault = () => undefined

  constructor(jobTypes: readonly string[]) {
    for (const jobType of jobTypes) this.create(jobType)
  }

  create(jobType: string): void {
    this.#topics.set(jobType, { messages: [], first: 0, end: 0, committed: undefined })
  }

  delete(jobType: string): void {
    this.#topics.delete(jobType)
  }

  messages(jobType: string): readonly Published[] {
    return this.#topicOf(jobType).messages
  }

  /** The group has everything behind it that is in the topic, or up to an offset. */
  commit(jobType: string, offset = this.#topicOf(jobType).end): void {
    this.#topicOf(jobType).committed = offset
  }

  /** Removes records as the retention of a topic does. */
  removeBefore(jobType: string, offset: number): void {
    this.#topicOf(jobType).first = offset
  }

  async listTypes(): Promise<ReadonlySet<string>> {
    this.#expectThere()
    return new Set(this.#topics.keys())
  }

  async publish(messages: readonly JobMessage[]): Promise<readonly Publication[]> {
    return messages.map((message) => this.#publishOne(message))
  }

  async progressOf(jobTypes: readonly string[]): Promise<readonly Progress[]> {
    this.#expectThere()
    return jobTypes.flatMap((jobType) => {
      const topic = this.#topics.get(jobType)
      return topic ? [{ jobType, partition: 0, committed: topic.committed, first: topic.first, end: topic.end }] : []
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  #publishOne(message: JobMessage): Publication {
    if (this.isAway) return { kind: "retry", reason: "no broker answers" }
    const topic = this.#topics.get(message.job.jobType)
    if (!topic) return { kind: "no-topic", reason: "the topic does not exist" }
    const fault = this.fault(message)
    if (fault && fault !== "lose-answer") return fault
    const offset = topic.end
    topic.end += 1
    topic.messages.push({ ...message, partition: 0, offset })
    return fault ? { kind: "unknown", reason: "no answer" } : { kind: "written", partition: 0, offset }
  }

  #topicOf(jobType: string): Topic {
    const topic = this.#topics.get(jobType)
    if (!topic) throw new Error(`there is no topic for ${jobType}`)
    return topic
  }

  #expectThere(): void {
    if (this.isAway) throw new Error("no broker answers")
  }
}
