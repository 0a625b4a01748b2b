// How long attempts may run, by one timer for all of them: a timer for each would be set and cleared for nothing, job after job.
import type { RunningJob } from "./running-job.ts"
import { timerMs } from "./tries/timer-ms.ts"

export class TimeLimits {
  readonly #running: Iterable<RunningJob>
  readonly #onOver: (job: RunningJob, runMs: number) => void
  /** When the timer goes off. It stays when the job that it was set for ends in time. */
  #dueAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(running: Iterable<RunningJob>, onOver: (job: RunningJob, runMs: number) => void) {
    this.#running = running
    this.#onOver = onOver
  }

  /** The job is among the running ones. */
  watch({ dueAt }: RunningJob): void {
    if (dueAt >= this.#dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => this.#look(), timerMs(Math.ceil(dueAt - performance.now())))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    this.#dueAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    for (const job of this.#running) {
      if (job.isOver || job.runMs === undefined) continue
      if (job.dueAt <= now) this.#onOver(job, job.runMs)
      else this.watch(job)
    }
  }
}
