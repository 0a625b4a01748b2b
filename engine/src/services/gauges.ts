// Measures the queues and the outbox for /metrics, in every process and at its own pace: a scrape costs the database nothing, however often it comes.

import { measureSinks } from "../operations/events/measure-sinks.ts"
import { measureQueues } from "../operations/flow/measure-queues.ts"
import { measureBacklog } from "../operations/jobs/dispatch/measure-dispatches.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"

const EVERY_MS = 15_000

export class GaugeService {
  readonly #kernel: Kernel
  #timer: NodeJS.Timeout | undefined
  #measuring: Promise<void> | undefined

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  start(): void {
    this.#measure()
    this.#timer = setInterval(() => this.#measure(), EVERY_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.settled()
  }

  /** Resolves when no measurement is under way. */
  async settled(): Promise<void> {
    await this.#measuring
  }

  #measure(): void {
    const kernel = this.#kernel
    this.#measuring ??= Promise.all([measureQueues(kernel), measureSinks(kernel), measureBacklog(kernel)])
      .then(() => {})
      // The gauges stay as they are; whether the database answers is said elsewhere.
      .catch((error) => this.#kernel.log.debug({ err: error }, "the queues were not measured"))
      .finally(() => (this.#measuring = undefined))
  }
}
