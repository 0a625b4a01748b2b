// A job while its handler runs: what the handler sees, and the abort that tells it the lease is gone.
import type { LeaseToken } from "../../model/jobs/reports.ts"
import type { ClaimedJob } from "../../operations/jobs/claim/claimed-job.ts"
import type { HeldLease } from "../../operations/runs/record-step.ts"
import { assert } from "../../support/assert.ts"
import { parseJobId } from "../../support/job-key.ts"
import type { JsonObject } from "../../support/json.ts"
import { readTraceContext } from "../../support/trace-context.ts"

export interface Job extends Omit<ClaimedJob, "variables"> {
  readonly variables: JsonObject
  /** Aborted when the lease is lost, or the time for one attempt is over. */
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
  readonly token: LeaseToken
  readonly attempt: number
  readonly priority: ClaimedJob["priority"]
  readonly definitionId: string
  readonly businessKey: string | undefined
  readonly idempotencyKey: string
  /** How long the attempt may take. */
  readonly runMs: number | undefined
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  readonly startedAt: number
  /** When the time for the attempt is over. */
  readonly dueAt: number
  readonly #text: string
  #variables: JsonObject | undefined
  #abort: AbortController | undefined
  #isOver = false

  constructor(job: ClaimedJob, startedAt: number) {
    this.id = job.id
    this.jobType = job.jobType
    this.instanceId = job.instanceId
    this.stepId = job.stepId
    this.retriesRemaining = job.retriesRemaining
    this.lockExpiresAt = job.lockExpiresAt
    this.leaseToken = job.leaseToken
    this.token = job.token
    this.attempt = job.attempt
    this.priority = job.priority
    this.definitionId = job.definitionId
    this.businessKey = job.businessKey
    this.idempotencyKey = job.idempotencyKey
    this.runMs = job.runMs
    this.startedAt = startedAt
    this.dueAt = startedAt + (job.runMs ?? Number.POSITIVE_INFINITY)
    this.traceparent = job.traceparent
    this.tracestate = job.tracestate
    this.#text = job.variables
  }

  /** A standalone job is of no step. */
  get stepExecutionId(): string {
    return this.instanceId === "" ? "" : this.id
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
    const [key, token] = [parseJobId(this.id), this.token]
    assert(key?.kind === "step", "a run is the job of a step")
    return { instanceId: key.instanceId, execution: key.execution, ...token }
  }

  /** For what is asked for on its behalf. */
  get trace(): string | undefined {
    return readTraceContext(this.traceparent, this.tracestate)
  }

  /** The lease is lost, or the time is over: asked without making a signal for it. */
  get isAborted(): boolean {
    return this.#abort?.signal.aborted ?? false
  }

  /** The job has been reported: the handler can no longer change its outcome. */
  get isOver(): boolean {
    return this.#isOver
  }

  end(reason: unknown): void {
    this.#isOver = true
    this.lose(reason)
  }

  lose(reason: unknown): void {
    this.#abort ??= new AbortController()
    this.#abort.abort(reason)
  }
}
