// Jobs that stand alone: put into the queue, looked at, cancelled.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions } from "../calls/operation-caller.ts"
import { followCursor } from "../calls/pages.ts"
import { toCamel, toSnake } from "../calls/snake-case.ts"
import type * as wire from "../generated/wire.ts"
import type { LiveJob, LiveJobPage, Variables, WaitingReason } from "../generated/wire.ts"
import { JobClient } from "./job-client.ts"
import type { EnqueueOptions, NewJob, StandaloneJob } from "./queue-types.ts"

export class StandaloneJobClient extends JobClient {
  /** Puts a job into the queue, for the workers of its type. */
  async enqueue<P extends object = Variables>(
    type: string,
    payload: P,
    { idempotencyKey, onRepeat, signal, timeoutMs, maxAttempts, ...job }: EnqueueOptions & ChangeOptions = {},
  ): Promise<StandaloneJob<P>> {
    const body = toSnake<wire.EnqueueJob>({ ...job, type, payload: payload as Variables })
    const options = { idempotencyKey, onRepeat, signal, timeoutMs, maxAttempts }
    return toCamel(await this.operations.call("enqueueJob", { body }, options)) as StandaloneJob<P>
  }

  /** Up to 1000 jobs, each as in `enqueue`: their ids, in this order. */
  async enqueueMany(jobs: readonly NewJob<object>[], options?: ChangeOptions): Promise<readonly string[]> {
    const body = { jobs: toSnake<readonly wire.EnqueueJob[]>(jobs as readonly NewJob[]) }
    return (await this.operations.call("enqueueJobs", { body }, options)).ids
  }

  async getJob<P extends object = Variables, R extends object = Variables>(
    id: string,
    options?: CallOptions,
  ): Promise<StandaloneJob<P, R>> {
    return toCamel(await this.operations.call("getJob", { path: { jobId: id } }, options)) as StandaloneJob<P, R>
  }

  async cancelJob(id: string, request: wire.CancelJob = {}, options?: ChangeOptions): Promise<StandaloneJob> {
    return toCamel(await this.operations.call("cancelJob", { path: { jobId: id }, body: request }, options))
  }

  /** Why a job is not moving. */
  async getJobWaiting(id: string, options?: CallOptions): Promise<readonly WaitingReason[]> {
    return (await this.operations.call("explainJobWaiting", { path: { jobId: id } }, options)).reasons
  }

  /** One page of the jobs that are not done, of workflows and standalone ones: those that are `ready` unless a status is given. */
  listJobs(query: wire.ListJobsQuery = {}, options?: CallOptions): Promise<LiveJobPage> {
    return this.operations.call("listJobs", { query }, options)
  }

  /** Every one that matches, page after page. */
  jobs(
    filter: Omit<wire.ListJobsQuery, "cursor"> = {},
    options?: CallOptions,
  ): AsyncGenerator<LiveJob, void, undefined> {
    return followCursor((cursor) => this.listJobs({ ...filter, ...cursor }, options))
  }

  /** One page of the standalone jobs that have ended, newest first. */
  listEndedJobs(query: wire.ListEndedJobsQuery = {}, options?: CallOptions): Promise<wire.EndedJobPage> {
    return this.operations.call("listEndedJobs", { query }, options)
  }

  /** Every one that matches, page after page. */
  endedJobs(
    filter: Omit<wire.ListEndedJobsQuery, "cursor"> = {},
    options?: CallOptions,
  ): AsyncGenerator<wire.EndedJob, void, undefined> {
    return followCursor((cursor) => this.listEndedJobs({ ...filter, ...cursor }, options))
  }

  /** The attempts that are over, the latest first. */
  async getJobAttempts(id: string, options?: CallOptions): Promise<readonly wire.JobAttempt[]> {
    return (await this.operations.call("listJobAttempts", { path: { jobId: id } }, options)).items
  }

  /** A new job with the payload of one that has ended. A dead letter is replayed instead. */
  rerunJob(id: string, options?: ChangeOptions): Promise<wire.RerunJob> {
    return this.operations.call("rerunJob", { path: { jobId: id } }, options)
  }
}
