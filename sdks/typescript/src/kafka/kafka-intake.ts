// Jobs that come through Kafka: begins their messages as places allow, and lets offsets move on once the engine has answered.
import { backoffMs } from "../calls/backoff.ts"
import { sleep } from "../calls/clock.ts"
import { errorFields } from "../calls/logger.ts"
import type { Job } from "../client/job-types.ts"
import { LeaseLostError } from "../worker/handler-errors.ts"
import type { Ending, Intake, IntakeTools } from "../worker/intake.ts"
import { isLost } from "../worker/lease.ts"
import { type DispatchEvent, readDispatchEvent } from "./dispatch-event.ts"
import { explainFailure } from "./explain-failure.ts"
import { fetchVariables } from "./fetch-variables.ts"
import type { KafkaClient } from "./group/connection.ts"
import { GroupConsumer, type GroupOptions } from "./group/group-consumer.ts"
import type { GroupMessage } from "./group/group-message.ts"
import type { PartitionLane } from "./group/partition-lane.ts"
import type { Tenure } from "./group/tenure.ts"
import { type KafkaSettings, topicOf } from "./kafka-options.ts"
import { loadKafka } from "./load-kafka.ts"
import { SeenDispatches } from "./seen-dispatches.ts"

/** A dispatch that is under way, and the messages that wait for its end. */
interface UnderWay {
  readonly dedupId: string
  job: Job
  /** The engine is asked for them before it begins. */
  lacksVariables: boolean
  readonly topic: string
  readonly partition: number
  /** Also those by which it was delivered again. */
  readonly done: (() => void)[]
  tries: number
  isRevoked: boolean
}

export class KafkaIntake implements Intake {
  readonly #tools: IntakeTools
  readonly #settings: KafkaSettings
  readonly #seen: SeenDispatches
  readonly #byDedupId = new Map<string, UnderWay>()
  readonly #byJob = new Map<Job, UnderWay>()
  /** By topic. */
  readonly #tenures = new Map<string, Tenure>()
  readonly #again: UnderWay[] = []
  /** How many jobs will need a place once their variables are here. */
  #fetching = 0
  #kafka: KafkaClient | undefined
  #consumers: readonly GroupConsumer[] = []

  constructor(tools: IntakeTools, settings: KafkaSettings) {
    this.#tools = tools
    this.#settings = settings
    this.#seen = new SeenDispatches(tools.settings.clock)
  }

  async prepare(): Promise<void> {
    this.#kafka = await loadKafka()
  }

  async run(): Promise<void> {
    if (!this.#kafka || this.#tools.draining.aborted) return
    const connection = { kafka: this.#kafka, options: this.#settings.connection }
    this.#consumers = this.#tools.settings.handlers
      .jobTypes()
      .map((jobType) => this.#consume(jobType, async () => connection))
  }

  #consume(jobType: string, connect: GroupOptions["connect"]): GroupConsumer {
    const { clock, logger, metrics } = this.#tools.settings
    const [topic, groupId] = [topicOf(jobType), `workflow.workers.${jobType}`]
    return GroupConsumer.start({
      ...{ connect, groupId, topics: [topic], clock },
      onTenure: (tenure) => this.#own(topic, tenure),
      onFetched: (seconds, messages) => {
        metrics.polled(seconds, messages)
        if (messages > 0) this.wake()
      },
      onReset: ({ partition, from }) =>
        logger.warn({ topic, partition, from: `${from}` }, "messages of a topic are gone unread"),
      onFailure: (error, pauseMs) => {
        const fields = { error: explainFailure(error, this.#settings.brokers, topic), topic, groupId, pauseMs }
        logger.warn(fields, "a consumer of Kafka failed, beginning anew")
      },
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()))
  }

  /** Begins what can begin. */
  wake(): void {
    while (this.#mayStart && this.#again.length > 0) this.#take(this.#again.shift()!, Number.NEGATIVE_INFINITY)
    for (const tenure of this.#tenures.values()) if (!tenure.isOver) this.#beginAll(tenure)
  }

  ended(job: Job, how: Ending): void {
    const one = this.#byJob.get(job)
    if (!one) return
    if (how === "unfinished") return this.#tryAgain(one)
    this.#forget(one)
    this.#seen.add(one.dedupId)
    for (const done of one.done) done()
  }

  get #mayStart(): boolean {
    return this.#tools.slots.free > this.#fetching && !this.#tools.draining.aborted
  }

  /** Partitions of a topic were assigned anew. Handlers for partitions that went to another consumer are asked to stop. */
  #own(topic: string, tenure: Tenure): void {
    this.#tenures.set(topic, tenure)
    const owned = new Set(tenure.lanes.map(({ partition }) => partition))
    for (const one of this.#byJob.values()) {
      if (one.topic !== topic || owned.has(one.partition)) continue
      one.isRevoked = true
      this.#tools.tellToStop(one.job, new LeaseLostError("the partition of its message went to another worker"))
    }
    this.wake()
  }

  #beginAll(tenure: Tenure): void {
    let isDone = false
    for (const lane of tenure.lanes)
      for (let next = lane.next; next; next = lane.next) {
        const begun = this.#begin(next, lane, tenure)
        if (begun === "no place") break
        isDone ||= begun === "done"
      }
    if (isDone) tenure.commit()
  }

  #begin(message: GroupMessage, lane: PartitionLane, tenure: Tenure): "begun" | "done" | "no place" {
    const event = this.#read(message)
    if (!event || this.#seen.has(event.dedupId)) {
      lane.begin(message)
      lane.done(message)
      return "done"
    }
    const done = () => {
      lane.done(message)
      tenure.commit()
    }
    const same = this.#byDedupId.get(event.dedupId)
    if (!same && !this.#mayStart) return "no place"
    lane.begin(message)
    if (same) this.#join(same, done)
    else this.#start(event, message, done)
    return "begun"
  }

  /** One that can never be read is left out: it would hold up all behind it. */
  #read({ topic, partition, offset, value, headers }: GroupMessage): DispatchEvent | undefined {
    try {
      const lockExpiresAt = new Date(Date.now() + this.#tools.settings.leaseSeconds * 1000).toISOString()
      const event = readDispatchEvent(value, lockExpiresAt)
      return { ...event, dedupId: event.dedupId || headers["dedup-id"] || `${topic}:${partition}:${offset}` }
    } catch (error) {
      const fields = { topic, partition, offset: `${offset}`, ...errorFields(error) }
      this.#tools.settings.logger.error(fields, "a message of Kafka is no dispatch of a job, skipped")
      return undefined
    }
  }

  #join(same: UnderWay, done: () => void): void {
    same.isRevoked = false
    same.done.push(done)
  }

  #start(event: DispatchEvent, { topic, partition }: GroupMessage, done: () => void): void {
    const one: UnderWay = { ...event, topic, partition, done: [done], tries: 0, isRevoked: false }
    this.#byDedupId.set(one.dedupId, one)
    this.#byJob.set(one.job, one)
    this.#take(one, this.#tools.settings.clock.now())
  }

  #take(one: UnderWay, askedAt: number): void {
    one.tries += 1
    if (one.lacksVariables) void this.#complement(one)
    else this.#tools.take([one.job], askedAt)
  }

  /** The job begins when its variables have arrived and a place is free. */
  async #complement(one: UnderWay): Promise<void> {
    const { settings, draining } = this.#tools
    this.#fetching += 1
    try {
      this.#replace(one, { ...one.job, variables: await fetchVariables(settings, one.job, draining) })
      this.#again.push(one)
    } catch (error) {
      const fields = { jobId: one.job.id, ...errorFields(error) }
      if (!draining.aborted) settings.logger.warn(fields, "the variables of a job could not be fetched")
      this.ended(one.job, isLost(error) ? "lost" : "unfinished")
    } finally {
      this.#fetching -= 1
      this.wake()
    }
  }

  #replace(one: UnderWay, job: Job): void {
    this.#byJob.delete(one.job)
    one.job = job
    one.lacksVariables = false
    this.#byJob.set(job, one)
  }

  #forget(one: UnderWay): void {
    this.#byJob.delete(one.job)
    this.#byDedupId.delete(one.dedupId)
  }

  /** Its handler gave up and the engine could not be asked: it is handled again here, as its message stays uncommitted. */
  #tryAgain(one: UnderWay): void {
    const { settings, draining } = this.#tools
    if (one.isRevoked || draining.aborted) return this.#forget(one)
    void sleep(settings.clock, backoffMs(one.tries), draining).then(() => {
      if (one.isRevoked || draining.aborted) return this.#forget(one)
      this.#again.push(one)
      this.wake()
    })
  }
}
