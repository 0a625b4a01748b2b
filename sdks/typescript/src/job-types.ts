// What travels to and from the engine about jobs, and the calls a worker needs of a client.
import type { CallOptions } from "./caller.ts"
import type { Priority } from "./definition-types.ts"
import type { Variables } from "./wire-types.ts"

export interface Job<V extends object = Variables> {
  /** Constant over attempts. */
  readonly id: string
  readonly jobType: string
  /** Empty on a standalone job, like `stepId`, `stepExecutionId` and `definitionId`. */
  readonly instanceId: string
  readonly stepId: string
  readonly stepExecutionId: string
  readonly definitionId: string
  /** The instance's variables as of the claim. */
  readonly variables: V
  readonly attempt: number
  readonly retriesRemaining: number
  readonly lockExpiresAt: string
  readonly leaseToken: string
  readonly priority: Priority
  readonly businessKey?: string
  /** Constant over attempts: pass it to outside systems so that they act once. */
  readonly idempotencyKey: string
  /** How long this attempt may run; the runner sees to it. */
  readonly timeoutSeconds?: number
  /** Where the job was asked for, by the W3C's rules: what is done for it goes on with that trace. */
  readonly traceparent?: string
  readonly tracestate?: string
}

export interface PollOptions {
  readonly jobTypes: readonly string[]
  /** 1–100, default 10. */
  readonly maxJobs?: number
  /** 5–3600, default 30. */
  readonly leaseSeconds?: number
  /** 0–30: how long the engine may hold the answer until there is a job. */
  readonly waitSeconds?: number
}

/** The worker that speaks; the client's own when absent. */
interface ByWorker {
  readonly workerId?: string
}

export interface PollRequest extends PollOptions, ByWorker {}

export interface CompleteRequest extends ByWorker {
  readonly leaseToken?: string
  readonly variables?: object
}

export interface FailRequest extends ByWorker {
  readonly leaseToken?: string
  readonly retryable: boolean
  readonly errorMessage: string
  /** Seconds until the next attempt. */
  readonly retryAfter?: number
  /** How the system that the job calls pushed back: 429, 503, or 504 for no answer in time. */
  readonly downstreamStatus?: number
}

export interface HeartbeatRequest extends ByWorker {
  readonly leaseToken?: string
  readonly leaseSeconds?: number
}

export interface CompletedReport {
  readonly jobId: string
  readonly leaseToken: string
  readonly variables?: object
}

export interface FailedReport {
  readonly jobId: string
  readonly leaseToken: string
  readonly retryable: boolean
  readonly errorMessage: string
  readonly retryAfter?: number
  readonly downstreamStatus?: number
}

export interface ExchangeRequest extends ByWorker {
  readonly completed?: readonly CompletedReport[]
  readonly failed?: readonly FailedReport[]
  readonly poll?: PollOptions
}

export type ReportOutcome = "accepted" | "stale" | "unknown"

export interface ExchangeResult {
  /** In the order sent: completed, then failed. */
  readonly results: readonly { readonly jobId: string; readonly outcome: ReportOutcome }[]
  readonly jobs: readonly Job[]
}

/** What a worker needs of the engine, whatever the wire (C-104). */
export interface JobCalls {
  poll(request: PollRequest, options?: CallOptions): Promise<readonly Job[]>
  complete(jobId: string, request: CompleteRequest, options?: CallOptions): Promise<void>
  fail(jobId: string, request: FailRequest, options?: CallOptions): Promise<void>
  heartbeat(
    jobId: string,
    request: HeartbeatRequest,
    options?: CallOptions,
  ): Promise<{ readonly lockExpiresAt: string }>
  exchange(request: ExchangeRequest, options?: CallOptions): Promise<ExchangeResult>
}
