// Runs the handler of one job and says what came of it.

import { errorFields, type Logger } from "../calls/logger.ts"
import { isA, stackOf } from "../calls/thrown.ts"
import type { Job } from "../client/job-types.ts"
import { JobTimeoutError, NonRetryableError, RetryLaterError } from "./handler-errors.ts"
import type { AnyHandler, HandlerContext } from "./handlers.ts"
import { noHandler, type Outcome, outcomeOfError, outcomeOfReturn } from "./outcome.ts"
import type { RunnerSettings } from "./runner-options.ts"
import { startTimeLimit } from "./time-limit.ts"

export interface Executed {
  readonly outcome: Outcome
  /** The handler gave up after it was told to stop: that is no failure of the job. */
  readonly gaveUp: boolean
}

export async function execute(job: Job, signal: AbortSignal, settings: RunnerSettings): Promise<Executed> {
  const { clock, metrics, handlers } = settings
  const handler = handlers.find(job.jobType)
  if (!handler) return { outcome: noHandler(job.jobType), gaveUp: false }
  const startedAt = clock.now()
  try {
    return { outcome: outcomeOfReturn(await run(handler, job, signal, settings)), gaveUp: false }
  } catch (error) {
    logThrown(job, error, settings.logger)
    return { outcome: outcomeOfError(error), gaveUp: signal.aborted && !isA(error, JobTimeoutError) }
  } finally {
    metrics.handled(job.jobType, (clock.now() - startedAt) / 1000)
  }
}

/** What the handler said on purpose is a warning; what it did not expect is an error. */
function logThrown({ id, jobType, instanceId, attempt }: Job, error: unknown, logger: Logger): void {
  const meant = isA(error, NonRetryableError) || isA(error, RetryLaterError)
  const stack = stackOf(error)
  const told = { ...errorFields(error), ...(stack === undefined ? {} : { stack }) }
  const fields = { jobId: id, jobType, instanceId, attempt, ...told }
  logger[meant ? "warn" : "error"](fields, "a handler threw")
}

/** One that hangs must hold neither its place nor its job. */
async function run(handler: AnyHandler, job: Job, signal: AbortSignal, settings: RunnerSettings): Promise<unknown> {
  const { workerId, givenLogger: logger, clock, aroundJob } = settings
  const handle = (context: HandlerContext) => handler(job as Job<never>, context)
  const call = (context: HandlerContext) => (aroundJob ? aroundJob(job, async () => handle(context)) : handle(context))
  if (job.timeoutSeconds === undefined) return call({ signal, workerId, logger })
  const limit = startTimeLimit(job.timeoutSeconds, signal, clock)
  try {
    return await Promise.race([call({ signal: limit.signal, workerId, logger }), limit.over])
  } finally {
    limit.cancel()
  }
}
