// Runs claimed jobs: each under its lease, from the claim to the report that leaves.

import { errorFields } from "../calls/logger.ts"
import type { Job, ReportOutcome } from "../client/job-types.ts"
import { execute } from "./execute.ts"
import { RunnerStoppedError } from "./handler-errors.ts"
import type { Ending } from "./intake.ts"
import { isLost, type LeaseSpan, type LeaseTools, sendHeartbeat, spanFrom } from "./lease.ts"
import { InlineLeaseKeeper, type KeptLease, type LeaseKeeper } from "./lease-keeper.ts"
import type { Report } from "./report/report.ts"
import type { RunnerSettings } from "./runner-options.ts"
import type { Slots } from "./slots.ts"
import { ThreadedLeaseKeeper } from "./threaded-lease-keeper.ts"

export interface WorkbenchOptions {
  readonly settings: RunnerSettings
  readonly slots: Slots
  /** A job has its report, or ended without one. Its place is free by then. */
  readonly finished: (job: Job, result: Report | Ending) => void
}

/** The engine sweeps up an ended lease at the latest after this time. */
const SWEEP_MS = 5_000

export class Workbench {
  readonly #s: RunnerSettings
  readonly #slots: Slots
  readonly #finished: WorkbenchOptions["finished"]
  readonly #tools: LeaseTools
  readonly #leases: LeaseKeeper
  readonly #running = new Map<Job, AbortController>()

  constructor({ settings, slots, finished }: WorkbenchOptions) {
    this.#s = settings
    this.#slots = slots
    this.#finished = finished
    this.#tools = { calls: settings.client, clock: settings.clock, logger: settings.logger }
    this.#leases = makeKeeper(settings, this.#tools)
  }

  /** Runs the jobs of one answer to a question asked at `askedAt`. */
  take(jobs: readonly Job[], askedAt: number): void {
    const span = spanFrom(askedAt, this.#s.clock.now(), this.#s)
    for (const job of jobs) void this.#run(job, span)
  }

  /** Tells every handler to stop, and lets go of the leases. */
  async close(): Promise<void> {
    for (const abort of this.#running.values()) abort.abort(new RunnerStoppedError("the runner stopped"))
    await this.#leases.close()
  }

  tellToStop(job: Job, reason: Error): void {
    this.#running.get(job)?.abort(reason)
  }

  /** Counts what became of a report. */
  settled({ job, outcome }: Report, verdict: ReportOutcome | "dropped"): void {
    const { metrics, logger } = this.#s
    if (verdict === "accepted") {
      metrics.completed(job.jobType, outcome.kind === "completed" ? "success" : "failure")
      if (outcome.kind === "failed" && outcome.retryable) metrics.retried(job.jobType)
      return
    }
    if (verdict === "stale") metrics.lockConflict(job.jobType, job.id)
    logger.warn({ jobId: job.id, jobType: job.jobType, verdict }, "the result of a job did not count")
  }

  async #run(job: Job, granted: LeaseSpan): Promise<void> {
    this.#slots.start()
    const abort = new AbortController()
    this.#running.set(job, abort)
    let result: Report | Ending = "unfinished"
    try {
      // Not awaited where it need not be: the handler begins before anything else is done in this turn of the event loop.
      const span = this.#isSure(job, granted) ? granted : await this.#confirmedSpan(job)
      result = typeof span === "string" ? span : await this.#runLeased(job, span, abort)
    } catch (error) {
      const fields = { jobId: job.id, jobType: job.jobType, ...errorFields(error) }
      this.#s.logger.error(fields, "a job could not be run, it comes back when its lease ends")
    } finally {
      this.#running.delete(job)
      this.#slots.finish()
      this.#finished(job, result)
    }
  }

  async #runLeased(job: Job, span: LeaseSpan, abort: AbortController): Promise<Report | Ending> {
    let ending: Ending = "unfinished"
    const lost = (reason: Error, refused: boolean) => {
      if (refused) ending = "lost"
      this.#loseLease(job, abort, reason, refused)
    }
    const lease = job.leaseToken ? this.#leases.keep(job, span, lost) : NO_LEASE
    try {
      const { outcome, gaveUp } = await execute(job, abort.signal, this.#s)
      if (gaveUp) return ending
      if (this.#s.keepsReports) return { job, outcome, giveUpAt: Number.POSITIVE_INFINITY, once: false, tries: 0 }
      return { job, outcome, giveUpAt: lease.goneAt + SWEEP_MS, once: abort.signal.aborted, tries: 0 }
    } finally {
      lease.release()
    }
  }

  /** An answer may have been so long on its way that the lease is over. */
  #isSure(job: Job, { endsAt }: LeaseSpan): boolean {
    return endsAt - this.#s.marginMs > this.#s.clock.now() || !job.leaseToken
  }

  /** Asks the engine before the job is started. */
  async #confirmedSpan(job: Job): Promise<LeaseSpan | Ending> {
    const { clock, marginMs, leaseSeconds, logger } = this.#s
    const askedAt = clock.now()
    try {
      await sendHeartbeat(job, this.#s, this.#tools, leaseSeconds * 1000 - marginMs)
      return spanFrom(askedAt, clock.now(), this.#s)
    } catch (error) {
      if (isLost(error)) this.#s.metrics.lockConflict(job.jobType, job.id)
      logger.warn({ jobId: job.id, ...errorFields(error) }, "the job came too late and was not started")
      return isLost(error) ? "lost" : "unfinished"
    }
  }

  #loseLease(job: Job, abort: AbortController, reason: Error, refused: boolean): void {
    const { metrics, logger } = this.#s
    if (refused) metrics.lockConflict(job.jobType, job.id)
    logger.warn({ jobId: job.id, jobType: job.jobType, ...errorFields(reason) }, "lease lost, handler told to stop")
    abort.abort(reason)
  }
}

/** The lease of a job without a token, such as one from an engine that dispatches without tokens. It is not extended and never ends. */
const NO_LEASE: KeptLease = { goneAt: Number.POSITIVE_INFINITY, release: () => {} }

function makeKeeper(settings: RunnerSettings, tools: LeaseTools): LeaseKeeper {
  if (settings.heartbeats === "inline") return new InlineLeaseKeeper(settings, tools)
  const { workerId, leaseSeconds, marginMs, client, logger } = settings
  const { url, restUrl, apiKey } = client.options
  return new ThreadedLeaseKeeper(
    { client: { url, restUrl, apiKey }, terms: { workerId, leaseSeconds, marginMs } },
    logger,
  )
}
