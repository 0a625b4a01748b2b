// What `result()` is rejected with when a run or a job has ended badly: how it ended, and why.

export type BadEnd = "FAILED" | "CANCELLED"

interface Ended {
  readonly id: string
  readonly status: BadEnd
  readonly reason: string | undefined
}

/** A run that has failed or was cancelled. `run.retry()` lets one that has failed go on. */
export class RunFailedError extends Error {
  override name = "RunFailedError"
  readonly runId: string
  readonly status: BadEnd
  /** The reason that the run keeps: the failed step and its message, or why the run was cancelled. */
  readonly reason: string | undefined

  constructor({ id, status, reason }: Ended) {
    super(`run ${id} ${saying(status, reason)}`)
    this.runId = id
    this.status = status
    this.reason = reason
  }
}

/** A job that has failed for good or was cancelled. `mill.deadLetters.replay(error.jobId)` enqueues one that has failed anew. */
export class JobFailedError extends Error {
  override name = "JobFailedError"
  readonly jobId: string
  readonly status: BadEnd
  readonly reason: string | undefined

  constructor({ id, status, reason }: Ended) {
    super(`job ${id} ${saying(status, reason)}`)
    this.jobId = id
    this.status = status
    this.reason = reason
  }
}

const saying = (status: BadEnd, reason: string | undefined): string =>
  `${status === "FAILED" ? "has failed" : "was cancelled"}${reason === undefined ? "" : `: ${reason}`}`
