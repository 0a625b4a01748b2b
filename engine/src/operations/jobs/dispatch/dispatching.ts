// Whether jobs of this process are pushed through Kafka, and which types: those that have a topic. What has none is polled.
import { TOPIC_PATTERN, topicFault, topicOf } from "../../../model/jobs/dispatch-topic.ts"
import { badRequest, EngineError } from "../../../support/errors.ts"
import { type DispatchMetrics, dispatchMetrics } from "../../../support/event-metrics.ts"
import { type Kernel, perKernel } from "../../kernel/kernel.ts"
import { type DispatchLoop, PUSH_LOOPS, RETURN_LOOP } from "../../kernel/loops.ts"
import type { JobBroker } from "./broker.ts"

export interface DispatchOptions {
  readonly broker: JobBroker
  /** The most jobs that are published at once. */
  readonly batchMax: number
  /** Whether this process may be the one that publishes; another may only know what is pushed. */
  readonly leads: boolean
}

/** How long what is known of the topics holds. */
const REFRESH_MS = 10_000

class Dispatching {
  readonly #kernel: Kernel
  #options: DispatchOptions | undefined
  #metrics: DispatchMetrics | undefined
  #takesBack = false
  #types: ReadonlySet<string> = new Set()
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** From here on this process may lead the relay. Throws when no broker answers. */
  async use(options: DispatchOptions): Promise<void> {
    this.#options = options
    await this.refresh()
    this.#metrics = dispatchMetrics(this.#kernel.metrics.registry)
  }

  /** From here on this process takes back what a relay leaves, however late. A process that was not told to poll leaves it alone. */
  poll(): void {
    this.#takesBack = true
  }

  get takesBack(): boolean {
    return this.#takesBack && !this.#options
  }

  /** The loops that this process may lead. */
  get loops(): readonly DispatchLoop[] {
    if (this.#options) return this.#options.leads ? PUSH_LOOPS : []
    return this.#takesBack ? [RETURN_LOOP] : []
  }

  /** Undefined where jobs are polled. */
  get metrics(): DispatchMetrics | undefined {
    return this.#metrics
  }

  get options(): DispatchOptions | undefined {
    return this.#options
  }

  get via(): "polling" | "kafka_outbox" {
    return this.#options ? "kafka_outbox" : "polling"
  }

  /** The types that are pushed. */
  get types(): ReadonlySet<string> {
    return this.#types
  }

  /** Asks the broker again when what is known is old; while none answers it stays as it is. */
  async keepFresh(): Promise<void> {
    if (!this.#options || performance.now() - this.#readAtMs < REFRESH_MS) return
    await this.refresh().catch((error) =>
      this.#kernel.log.warn({ err: error }, "the topics of Kafka could not be read; going by those that are known"),
    )
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    this.#readAtMs = performance.now()
    if (this.#options) this.#types = await this.#options.broker.listTypes()
  }

  /** What is left of them for a poll. Where nothing is, the worker has to read the topics instead. */
  pollable(jobTypes: readonly string[]): readonly string[] {
    if (this.#types.size === 0) return jobTypes
    void this.keepFresh()
    const left = jobTypes.filter((jobType) => !this.#types.has(jobType))
    if (left.length === 0 && jobTypes.length > 0) throw pushed(jobTypes)
    return left
  }

  /** Refuses job types that Kafka cannot have, or that have no topic yet. */
  async expectTopics(jobTypes: readonly string[]): Promise<void> {
    if (!this.#options) return
    const unknown = () => jobTypes.filter((jobType) => !this.#types.has(jobType))
    const violations = jobTypes.flatMap((jobType) => violationsOf(jobType))
    if (violations.length > 0) throw badRequest(`${violations[0]?.path}: ${violations[0]?.message}`, violations)
    if (unknown().length > 0) await this.refresh()
    const missing = unknown()
    if (missing.length > 0) throw badRequest(missingTopics(missing))
  }

  async close(): Promise<void> {
    const options = this.#options
    this.#options = undefined
    this.#types = new Set()
    await options?.broker.close()
  }
}

function violationsOf(jobType: string) {
  const fault = topicFault(jobType)
  return fault === undefined ? [] : [{ path: `job type ${jobType.slice(0, 100)}`, message: fault }]
}

const missingTopics = (jobTypes: readonly string[]): string => {
  const topics = jobTypes.map(topicOf)
  const exist = topics.length === 1 ? "does not exist" : "do not exist"
  return `in Kafka ${topics.join(", ")} ${exist}: make what is missing with millrace kafka topics ${topics.join(" ")} --create`
}

const pushed = (jobTypes: readonly string[]) =>
  new EngineError(
    "polling-disabled",
    `jobs of ${jobTypes.join(", ").slice(0, 500)} are dispatched through Kafka: consume the topic ${TOPIC_PATTERN}`,
  )

export const dispatchingOf = perKernel((kernel) => new Dispatching(kernel))
