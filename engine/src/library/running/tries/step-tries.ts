// How often the steps of a run have been tried before this attempt: read when the first of them is called, and only after a first attempt.
import {
  type AttemptsAtStep,
  FIRST_TRY,
  type Tries,
  triesFromTop,
  triesOnRecord,
} from "../../../model/jobs/step-attempts.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { readAttempts } from "../../../operations/runs/record-step.ts"
import type { RunningJob } from "../running-job.ts"

export class StepTries {
  readonly #kernel: Kernel
  readonly #job: RunningJob
  #ended: Promise<readonly AttemptsAtStep[]> | undefined
  #isFirst = true

  constructor(kernel: Kernel, job: RunningJob) {
    this.#kernel = kernel
    this.#job = job
  }

  /** The tries of a step by its present and former names, in a run that records its steps. */
  async onRecord(names: readonly string[]): Promise<Tries> {
    if (this.#job.attempt === 1) return FIRST_TRY
    const isFirst = this.#isFirst
    this.#isFirst = false
    return triesOnRecord(names, await this.#read(), { isFirst })
  }

  /** The tries of the step at this place, in a run that begins at the top each time. */
  async fromTop(at: number, steps: readonly (readonly string[])[]): Promise<Tries> {
    return this.#job.attempt === 1 ? FIRST_TRY : triesFromTop(at, await this.#read(), steps)
  }

  #read(): Promise<readonly AttemptsAtStep[]> {
    this.#ended ??= readAttempts(this.#kernel, this.#job.lease)
    return this.#ended
  }
}
