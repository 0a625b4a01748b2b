// Runs the handler of one job and says what came of it.
import type { HandlerContext } from "./handlers.ts"
import type { Job } from "./job-types.ts"
import { noHandler, type Outcome, outcomeOfError, outcomeOfReturn } from "./outcome.ts"
import type { RunnerSettings } from "./runner-options.ts"

export interface Executed {
  readonly outcome: Outcome
  /** The handler gave up after it was told to stop: that is no failure of the job. */
  readonly gaveUp: boolean
}

export async function execute(job: Job, signal: AbortSignal, settings: RunnerSettings): Promise<Executed> {
  const { clock, metrics, handlers, logger, workerId } = settings
  const handler = handlers.find(job.jobType)
  if (!handler) return { outcome: noHandler(job.jobType), gaveUp: false }
  const startedAt = clock.now()
  const context: HandlerContext = { signal, workerId, logger }
  try {
    return { outcome: outcomeOfReturn(await handler(job as Job<never>, context)), gaveUp: false }
  } catch (error) {
    return { outcome: outcomeOfError(error), gaveUp: signal.aborted }
  } finally {
    metrics.handled(job.jobType, (clock.now() - startedAt) / 1000)
  }
}
