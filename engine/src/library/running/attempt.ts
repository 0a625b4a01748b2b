// One attempt at a job: what a worker calls, and what it gets back.
import type { Outcome } from "./outcome.ts"
import type { RunningJob } from "./running-job.ts"

/** One attempt at a job. Without an outcome there is nothing to report: it was reported already, or the lease is lost. */
export type Attempt = (job: RunningJob) => Promise<Outcome | undefined>
