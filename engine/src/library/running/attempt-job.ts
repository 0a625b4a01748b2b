// One attempt at a standalone job: judges the payload, runs the handler, and says how it ended.
import type { Priority } from "../../model/definitions/definition.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { isA } from "../../support/thrown.ts"
import { resultOf } from "../authoring/handler.ts"
import { handlerFailure } from "../authoring/handler-failure.ts"
import type { AnyJob, JobCall } from "../authoring/job.ts"
import { backoffOf, RetryableError } from "../authoring/retryable-error.ts"
import { validate } from "../authoring/standard-schema.ts"
import type { Failed, Outcome } from "./outcome.ts"
import type { RunningJob } from "./running-job.ts"

/** Undefined: the lease is gone, and with it the right to say anything. */
export async function attemptJob(kernel: Kernel, element: AnyJob, job: RunningJob): Promise<Outcome | undefined> {
  const { input, run } = element
  try {
    const payload = input ? await validate(input, job.variables, "payload") : job.variables
    return { verb: "complete", variables: resultOf(await run(new Call(kernel, job, payload as never))) }
  } catch (error) {
    if (job.isAborted) return undefined
    const failure = failureOf(kernel, error)
    logFailure(kernel, job, error, failure)
    return failure
  }
}

/** A class, because getters of an object literal are made anew for each job. What few handlers ask for is made when they do. */
class Call implements JobCall<never> {
  readonly id: string
  readonly key: string
  readonly payload: never
  readonly attempt: number
  readonly priority: Priority
  readonly #kernel: Kernel
  readonly #job: RunningJob

  constructor(kernel: Kernel, job: RunningJob, payload: never) {
    this.id = job.id
    this.key = job.idempotencyKey
    this.payload = payload
    this.attempt = job.attempt
    this.priority = job.priority
    this.#kernel = kernel
    this.#job = job
  }

  get signal(): AbortSignal {
    return this.#job.signal
  }

  get log(): JobCall["log"] {
    return this.#kernel.log.child(namesOf(this.#job))
  }
}

/** A RetryableError says by itself how long the next try waits; any other error leaves that to the job's policy. */
function failureOf(kernel: Kernel, error: unknown): Failed {
  const failure = handlerFailure(error)
  return isA(error, RetryableError) ? { ...failure, backoff: backoffOf(error, kernel.random) } : failure
}

const namesOf = ({ id, jobType, priority }: RunningJob) => ({ jobId: id, jobType, priority })

/** What is stored is one line; where it came from is in the log. */
function logFailure(kernel: Kernel, job: RunningJob, err: unknown, { retryable }: Failed): void {
  const fields = { err, ...namesOf(job), attempt: job.attempt }
  if (retryable && job.retriesRemaining > 0) kernel.log.info(fields, "a job is tried again later")
  else kernel.log.warn(fields, "a job has failed")
}
