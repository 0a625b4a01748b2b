// Jobs as workers get and report them, and the calls a worker needs of a client.

import type { CallOptions } from "../calls/caller.ts"
import type * as wire from "../generated/wire.ts"
import type { PollOptions, Variables } from "../generated/wire.ts"

/** A claimed job, as its handler sees it. */
export interface Job<V extends object = Variables> extends Omit<wire.Job, "variables"> {
  /** The instance's variables as of the claim; the payload of a standalone job. */
  readonly variables: V
}

/** The worker that speaks; the client's own when absent. */
type ByWorker = Pick<wire.Worker, "workerId">

/** Which jobs to claim, how many and for how long. */
export interface PollRequest extends PollOptions, ByWorker {}

/** A job that is done, with the variables it sets. */
export interface CompleteRequest extends ByWorker, Pick<wire.CompleteJob, "leaseToken"> {
  readonly variables?: object
}

/** A job that failed, and whether it is tried again. */
export type FailRequest = Omit<wire.FailJob, "workerID">
/** Whose lease to extend, and by how long. */
export type HeartbeatRequest = Omit<wire.HeartbeatRequest, "workerID">

/** A completed job of an exchange. */
export interface CompletedReport extends Omit<wire.CompletedReport, "variables" | "variablesToSet"> {
  readonly variables?: object
}

/** Reports of ended jobs, and a question for more. */
export interface ExchangeRequest extends ByWorker, Pick<wire.ExchangeRequest, "failed" | "poll"> {
  readonly completed?: readonly CompletedReport[]
}

/** What became of a report. */
export type ReportOutcome = wire.ReportResult["outcome"]

/** What a worker needs of the engine, whatever the wire. */
export interface JobCalls {
  poll(request: PollRequest, options?: CallOptions): Promise<readonly Job[]>
  complete(jobId: string, request: CompleteRequest, options?: CallOptions): Promise<void>
  fail(jobId: string, request: FailRequest, options?: CallOptions): Promise<void>
  heartbeat(jobId: string, request: HeartbeatRequest, options?: CallOptions): Promise<wire.HeartbeatResult>
  exchange(request: ExchangeRequest, options?: CallOptions): Promise<wire.ExchangeResult>
}

/** Which jobs a stream pushes, and how many it may push at first. */
export interface JobStreamRequest extends ByWorker {
  readonly jobTypes: readonly string[]
  readonly leaseSeconds?: number
  /** How many jobs may come; `credit` of the stream adds to it. */
  readonly credit: number
}

/** The events of a stream of jobs. */
export interface JobStreamEvents {
  readonly jobs: (jobs: readonly Job[]) => void
  /** Once, at the end: without an error where the engine or we closed it. */
  readonly ended: (error?: unknown) => void
}

/** Only for gRPC. The ends of jobs are reported by the other calls. */
export interface JobStream {
  credit(more: number): void
  /** Says that the handlers of these jobs run: they keep their lease when the stream breaks. */
  started(jobs: readonly Pick<Job, "id" | "leaseToken">[]): void
  close(): void
}
