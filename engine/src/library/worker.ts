// A worker in the engine's own process: claims as many jobs as it has free slots, runs handlers, reports, waits when there is nothing.

import { parseToken } from "../model/reports.ts"
import { type ClaimedJob, claimJobs } from "../operations/claim-jobs.ts"
import type { Context } from "../operations/context.ts"
import { heartbeatJob } from "../operations/heartbeat-job.ts"
import { reportJob } from "../operations/report-jobs.ts"
import type { JsonObject } from "../support/json.ts"

export interface Job extends Omit<ClaimedJob, "variables"> {
  readonly variables: JsonObject
  /** Aborted when the lease is lost or the worker gives up waiting for the handler. */
  readonly signal: AbortSignal
}

export type Handler = (job: Job) => Promise<JsonObject | undefined | void> | JsonObject | undefined | void

/** Thrown by a handler: another try would fail alike. */
export class NonRetryableError extends Error {
  override name = "NonRetryableError"
}

export interface WorkerOptions {
  readonly workerId: string
  readonly handlers: Readonly<Record<string, Handler>>
  readonly concurrency?: number
  readonly leaseMs?: number
}

const WAIT_MS = 30_000
const AFTER_ERROR_MS = 500

export class Worker {
  readonly #ctx: Context
  readonly #options: Required<WorkerOptions>
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #wakeLoop: (() => void) | undefined
  #loop: Promise<void> | undefined

  constructor(ctx: Context, options: WorkerOptions) {
    this.#ctx = ctx
    this.#options = { concurrency: 64, leaseMs: ctx.settings.leaseDefaultMs, ...options }
  }

  start(): this {
    this.#loop ??= this.#claimLoop()
    return this
  }

  /** No new claims; what runs may finish. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wakeLoop?.()
    await this.#loop
    await Promise.all(this.#running)
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const free = this.#options.concurrency - this.#running.size
      if (free <= 0) await this.#slotFree()
      else for (const job of await this.#claim(free)) this.#run(job)
    }
  }

  async #claim(maxJobs: number): Promise<readonly ClaimedJob[]> {
    const { workerId, handlers, leaseMs } = this.#options
    const { signal } = this.#stopping
    try {
      return await claimJobs(this.#ctx, {
        workerId,
        jobTypes: Object.keys(handlers),
        maxJobs,
        leaseMs,
        waitMs: WAIT_MS,
        signal,
      })
    } catch (error) {
      this.#ctx.log.warn({ err: error }, "a claim failed; trying again")
      await new Promise((resolve) => setTimeout(resolve, AFTER_ERROR_MS))
      return []
    }
  }

  #slotFree(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeLoop = resolve
    })
  }

  #run(job: ClaimedJob): void {
    const run = this.#handle(job).finally(() => {
      this.#running.delete(run)
      this.#wakeLoop?.()
    })
    this.#running.add(run)
  }

  async #handle(claimed: ClaimedJob): Promise<void> {
    const lost = new AbortController()
    const beats = setInterval(() => this.#beat(claimed, lost), this.#options.leaseMs / 3)
    const job = { ...claimed, variables: JSON.parse(claimed.variables) as JsonObject, signal: lost.signal }
    try {
      const variables = await this.#options.handlers[claimed.jobType]?.(job)
      await this.#report(claimed, { verb: "complete", variables: variables ?? undefined })
    } catch (error) {
      const retryable = !(error instanceof NonRetryableError)
      const message = error instanceof Error ? error.message : String(error)
      await this.#report(claimed, { verb: "fail", retryable, message, retryAfterMs: undefined })
    } finally {
      clearInterval(beats)
    }
  }

  /** A report that cannot be delivered is left to the lease: the job runs again. */
  async #report(job: ClaimedJob, outcome: Outcome): Promise<void> {
    const { workerId } = this.#options
    const token = parseToken(job.leaseToken)
    await reportJob(this.#ctx, { ...outcome, jobId: job.id, workerId, token, actor: workerId }).catch((error) =>
      this.#ctx.log.warn({ err: error, jobId: job.id }, "a report could not be delivered"),
    )
  }

  #beat(job: ClaimedJob, lost: AbortController): void {
    const { workerId, leaseMs } = this.#options
    heartbeatJob(this.#ctx, { jobId: job.id, workerId, token: parseToken(job.leaseToken), leaseMs }).catch((error) => {
      if (error?.code === "lease-lost") lost.abort(error)
    })
  }
}

type Outcome =
  | { readonly verb: "complete"; readonly variables: JsonObject | undefined }
  | { readonly verb: "fail"; readonly retryable: boolean; readonly message: string; readonly retryAfterMs: undefined }
