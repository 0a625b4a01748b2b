// Has jobs pushed: keeps one stream open, gives it credit for every free place, and opens another when it ends.
//
//   asked places of the slots = credit that the engine still has. Each job takes one off both; places that come free are given anew.

import { backoffMs } from "../calls/backoff.ts"
import { type Clock, sleep } from "../calls/clock.ts"
import { MillraceError } from "../calls/errors.ts"
import { errorFields, type Logger } from "../calls/logger.ts"
import type { Job, JobStream, JobStreamEvents } from "../client/job-types.ts"
import { Bell } from "./bell.ts"
import type { Slots } from "./slots.ts"

export interface StreamLaneOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when no more work is wanted. */
  readonly signal: AbortSignal
  readonly slots: Slots
  readonly open: (credit: number, events: JobStreamEvents) => Promise<JobStream>
  /** Runs the jobs; their places are free for it. */
  readonly take: (jobs: readonly Job[]) => void
  /** The places that were promised to a stream are given back: a drain waits for it. */
  readonly returned: () => void
}

export class StreamLane {
  readonly #o: StreamLaneOptions
  readonly #changed = new Bell()
  #stream: JobStream | undefined
  #credit = 0
  #failures = 0

  constructor(options: StreamLaneOptions) {
    this.#o = options
    options.signal.addEventListener("abort", () => this.#stop(), { once: true })
  }

  /** Something changed that may have freed places. */
  wake(): void {
    const free = this.#o.slots.free
    if (this.#stream && free > 0 && !this.#o.signal.aborted) this.#stream.credit(this.#give(free))
    this.#changed.ring()
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const { signal, slots } = this.#o
    while (!signal.aborted) {
      if (slots.free > 0) await this.#streamOnce()
      else await this.#changed.next()
    }
  }

  /** Resolves when the stream is over, and the pause before the next one too. */
  async #streamOnce(): Promise<void> {
    const ended = new Promise<unknown>((resolve) => this.#open(resolve))
    const error = await ended
    this.#stream = undefined
    this.#o.slots.answered(this.#credit)
    this.#credit = 0
    if (!this.#o.signal.aborted) await this.#backOff(error)
    else this.#o.returned()
  }

  #open(ended: (error: unknown) => void): void {
    const jobs = (pushed: readonly Job[]) => this.#take(pushed)
    const opened = this.#o.open(this.#give(this.#o.slots.free), { jobs, ended })
    opened.then((stream) => {
      this.#stream = stream
      if (this.#o.signal.aborted) stream.close()
    }, ended)
  }

  #take(jobs: readonly Job[]): void {
    this.#failures = 0
    this.#credit -= jobs.length
    this.#o.slots.answered(jobs.length)
    // Jobs that come after the stop were not reported as started, so others can have them at once.
    if (this.#o.signal.aborted) return
    this.#o.take(jobs)
    // After the handlers have begun: they do not wait for it, and it leaves at the end of this turn of the event loop in any case.
    this.#stream?.started(jobs)
  }

  #give(places: number): number {
    this.#o.slots.ask(places)
    this.#credit += places
    return places
  }

  #stop(): void {
    this.#stream?.close()
    this.#changed.ring()
  }

  /** An engine ends a stream when it is old or when the engine leaves: the next one opens after a short, growing pause. */
  async #backOff(error: unknown): Promise<void> {
    const { clock, logger, signal } = this.#o
    this.#failures += 1
    const askedMs = error instanceof MillraceError ? (error.retryAfter ?? 0) * 1000 : 0
    const pauseMs = Math.max(askedMs, backoffMs(this.#failures))
    if (error) logger.warn({ ...errorFields(error), pauseMs }, "the stream of jobs broke, opening another")
    await sleep(clock, pauseMs, signal)
  }
}
