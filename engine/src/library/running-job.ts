// A job while its handler runs: what the handler sees, and the abort that tells it the lease is gone.
import { type LeaseToken, parseToken } from "../model/reports.ts"
import type { ClaimedJob } from "../operations/claimed-job.ts"
import type { HeldLease } from "../operations/record-step.ts"
import { assert } from "../support/assert.ts"
import { parseExecutionId } from "../support/ids.ts"
import type { JsonObject } from "../support/json.ts"

export interface Job extends Omit<ClaimedJob, "variables"> {
  readonly variables: JsonObject
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal
}

/** What a handler does not look at is not made: variables are parsed and the signal is created at their first use. */
export class RunningJob implements Job {
  readonly id: string
  readonly jobType: string
  readonly instanceId: string
  readonly stepId: string
  readonly retriesRemaining: number
  readonly lockExpiresAt: number
  readonly leaseToken: string
  readonly attempt: number
  readonly priority: string
  readonly definitionId: string
  readonly businessKey: string | undefined
  readonly startedAt = performance.now()
  readonly #text: string
  #variables: JsonObject | undefined
  #abort: AbortController | undefined

  constructor(job: ClaimedJob) {
    this.id = job.id
    this.jobType = job.jobType
    this.instanceId = job.instanceId
    this.stepId = job.stepId
    this.retriesRemaining = job.retriesRemaining
    this.lockExpiresAt = job.lockExpiresAt
    this.leaseToken = job.leaseToken
    this.attempt = job.attempt
    this.priority = job.priority
    this.definitionId = job.definitionId
    this.businessKey = job.businessKey
    this.#text = job.variables
  }

  get stepExecutionId(): string {
    return this.id
  }

  get idempotencyKey(): string {
    return this.id
  }

  get variables(): JsonObject {
    this.#variables ??= JSON.parse(this.#text) as JsonObject
    return this.#variables
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    return this.#abort.signal
  }

  /** For what is recorded while the job runs. */
  get lease(): HeldLease {
    const [key, token] = [parseExecutionId(this.id), this.token]
    assert(key && token, "a claimed job has an id and a token")
    return { ...key, ...token }
  }

  get token(): LeaseToken | undefined {
    return parseToken(this.leaseToken)
  }

  lose(reason: unknown): void {
    this.#abort ??= new AbortController()
    this.#abort.abort(reason)
  }
}
