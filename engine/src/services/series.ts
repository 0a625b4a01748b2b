// Writes down what this process has counted, every 2 s and only when there is something: charts are drawn from it.

import type { Kernel } from "../operations/kernel/kernel.ts"
import { seriesOf } from "../operations/observability/counter-series.ts"

/** The shortest span of the series. */
const EVERY_MS = 2_000
/** Sooner than this is the same flush again. */
const LEAST_MS = 500

export class SeriesService {
  readonly #kernel: Kernel
  readonly #leadsMeter: () => boolean
  readonly #phaseMs: number
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #stopped = false

  constructor(kernel: Kernel, leadsMeter: () => boolean) {
    this.#kernel = kernel
    this.#leadsMeter = leadsMeter
    // In the middle of a span, so that each span has one flush of each process and not sometimes two; and not all at the same moment.
    this.#phaseMs = EVERY_MS * (0.3 + 0.4 * kernel.random())
  }

  start(): void {
    this.#schedule()
  }

  /** Also writes what was counted last. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#flushing
    await this.#flush()
  }

  #schedule(): void {
    if (this.#stopped) return
    const intoSpan = (this.#kernel.clock.nowMs() - this.#phaseMs) % EVERY_MS
    const inMs = EVERY_MS - intoSpan
    this.#timer = setTimeout(
      () => {
        this.#flushing = this.#flush().finally(() => this.#schedule())
      },
      inMs < LEAST_MS ? inMs + EVERY_MS : inMs,
    )
  }

  /** What a failed flush could not write is kept for the next. */
  async #flush(): Promise<void> {
    await seriesOf(this.#kernel)
      .flush(this.#kernel, this.#leadsMeter())
      .catch((error) => this.#kernel.log.debug({ err: error }, "the counter series were not written"))
  }
}
