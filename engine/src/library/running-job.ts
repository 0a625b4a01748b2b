// A job while its handler runs: what the handler sees, and the abort that tells it the lease is gone.
import type { ClaimedJob } from "../operations/claim-jobs.ts"
import type { JsonObject } from "../support/json.ts"

export interface Job extends Omit<ClaimedJob, "variables"> {
  readonly variables: JsonObject
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal
}

export class RunningJob {
  readonly claimed: ClaimedJob
  readonly startedAt = performance.now()
  #abort: AbortController | undefined

  constructor(claimed: ClaimedJob) {
    this.claimed = claimed
  }

  /** Few handlers look at the signal: it is made when one does. */
  forHandler(): Job {
    const running = this
    return {
      ...this.claimed,
      variables: JSON.parse(this.claimed.variables) as JsonObject,
      get signal() {
        running.#abort ??= new AbortController()
        return running.#abort.signal
      },
    }
  }

  lose(reason: unknown): void {
    this.#abort ??= new AbortController()
    this.#abort.abort(reason)
  }
}
