// What a handler throws to say how its failure counts, and what its signal is aborted with.

/** Trying again cannot help: the job fails at once, whatever retries it has left. */
export class NonRetryableError extends Error {
  override readonly name: string = "NonRetryableError"
}

/** Try again, but not before `afterSeconds`. Spends a retry like any other failure. */
export class RetryLaterError extends Error {
  override readonly name: string = "RetryLaterError"
  readonly afterSeconds: number

  constructor(message: string, options: { readonly afterSeconds: number; readonly cause?: unknown }) {
    super(message, { cause: options.cause })
    if (!(options.afterSeconds >= 0 && Number.isFinite(options.afterSeconds)))
      throw new RangeError("afterSeconds must be a number of seconds, 0 or more")
    this.afterSeconds = options.afterSeconds
  }
}

/** The reason of an aborted handler signal: stop, another worker may have the job by now. */
export class LeaseLostError extends Error {
  override readonly name: string = "LeaseLostError"
}

/** The reason of an aborted handler signal: the time for one attempt is over. The job fails, retryable. */
export class JobTimeoutError extends Error {
  // The name that other libraries use: a handler that passes the signal on to a client gets this error back from it.
  override readonly name: string = "TimeoutError"
}

/** The reason of an aborted handler signal: the runner stops and will not wait any longer. */
export class RunnerStoppedError extends Error {
  override readonly name: string = "RunnerStoppedError"
}
