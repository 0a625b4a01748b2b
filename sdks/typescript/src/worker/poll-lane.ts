// Asks for jobs whenever places are free: long polls that the engine answers as soon as there is work, or short polls.
import { backoffMs } from "../calls/backoff.ts"
import { type Clock, sleep } from "../calls/clock.ts"
import { MillraceError } from "../calls/errors.ts"
import { errorFields, type Logger } from "../calls/logger.ts"
import { Bell } from "./bell.ts"

/** Who does the waiting while there is no work: the engine (long poll) or we. */
export type PollPace = { readonly waitSeconds: number } | { readonly pollIntervalMs: number }

/** An engine that answers "nothing" at once although asked to wait is shutting down, or too old to wait. */
const LONGEST_PAUSE_MS = 500

export interface PollLaneOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when no more work is wanted. */
  readonly signal: AbortSignal
  readonly pace: PollPace
  /** Places to ask for now; 0 when there are none. */
  readonly places: () => number
  /** Asks once and starts what comes; resolves with the number of jobs. */
  readonly poll: (places: number, signal: AbortSignal) => Promise<number>
}

export class PollLane {
  readonly #o: PollLaneOptions
  readonly #changed = new Bell()
  #failures = 0
  #hastyAnswers = 0

  constructor(options: PollLaneOptions) {
    this.#o = options
    options.signal.addEventListener("abort", () => this.#changed.ring(), { once: true })
  }

  /** Something changed that may have freed places. */
  wake(): void {
    this.#changed.ring()
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    while (!this.#o.signal.aborted) {
      const places = this.#o.places()
      if (places > 0) await this.#pollOnce(places)
      else await this.#changed.next()
    }
  }

  async #pollOnce(places: number): Promise<void> {
    const { clock, signal } = this.#o
    const askedAt = clock.now()
    try {
      const jobs = await this.#o.poll(places, signal)
      this.#failures = 0
      await sleep(clock, this.#pauseMs(places, jobs, clock.now() - askedAt), signal)
    } catch (error) {
      if (!signal.aborted) await this.#backOff(error)
    }
  }

  #pauseMs(places: number, jobs: number, tookMs: number): number {
    const { pace } = this.#o
    if ("pollIntervalMs" in pace) return jobs < places ? pace.pollIntervalMs : 0
    const hasty = jobs === 0 && tookMs < pace.waitSeconds * 500
    this.#hastyAnswers = hasty ? this.#hastyAnswers + 1 : 0
    return hasty ? Math.min(LONGEST_PAUSE_MS, backoffMs(this.#hastyAnswers)) : 0
  }

  async #backOff(error: unknown): Promise<void> {
    this.#failures += 1
    const askedMs = error instanceof MillraceError ? (error.retryAfter ?? 0) * 1000 : 0
    const pauseMs = Math.max(askedMs, backoffMs(this.#failures))
    this.#o.logger.warn({ ...errorFields(error), failures: this.#failures, pauseMs }, "poll failed, backing off")
    await sleep(this.#o.clock, pauseMs, this.#o.signal)
  }
}
