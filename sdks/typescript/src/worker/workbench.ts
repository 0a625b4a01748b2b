// Runs claimed jobs: each under its lease, from the claim to the report that leaves.

import { errorFields } from "../calls/logger.ts"
import type { Job, ReportOutcome } from "../client/job-types.ts"
import { execute } from "./execute.ts"
import { RunnerStoppedError } from "./handler-errors.ts"
import { isLost, type LeaseSpan, type LeaseTools, sendHeartbeat, spanFrom } from "./lease.ts"
import { InlineLeaseKeeper, type LeaseKeeper } from "./lease-keeper.ts"
import type { Report } from "./report.ts"
import type { RunnerSettings } from "./runner-options.ts"
import type { Slots } from "./slots.ts"
import { ThreadedLeaseKeeper } from "./threaded-lease-keeper.ts"

export interface WorkbenchOptions {
  readonly settings: RunnerSettings
  readonly slots: Slots
  /** A job is finished; undefined when it left nothing to report. Its place is free by then. */
  readonly finished: (report: Report | undefined) => void
}

/** The engine sweeps up an ended lease at the latest after this time. */
const SWEEP_MS = 5_000

export class Workbench {
  readonly #s: RunnerSettings
  readonly #slots: Slots
  readonly #finished: WorkbenchOptions["finished"]
  readonly #tools: LeaseTools
  readonly #leases: LeaseKeeper
  readonly #running = new Set<AbortController>()

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
    for (const abort of this.#running) abort.abort(new RunnerStoppedError("the runner stopped"))
    await this.#leases.close()
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
    this.#running.add(abort)
    let report: Report | undefined
    try {
      const span = await this.#sureSpan(job, granted)
      report = span && (await this.#runLeased(job, span, abort))
    } catch (error) {
      const fields = { jobId: job.id, jobType: job.jobType, ...errorFields(error) }
      this.#s.logger.error(fields, "a job could not be run, it comes back when its lease ends")
    } finally {
      this.#running.delete(abort)
      this.#slots.finish()
      this.#finished(report)
    }
  }

  async #runLeased(job: Job, span: LeaseSpan, abort: AbortController): Promise<Report | undefined> {
    const lost = (reason: Error, refused: boolean) => this.#loseLease(job, abort, reason, refused)
    const lease = this.#leases.keep(job, span, lost)
    try {
      const { outcome, gaveUp } = await execute(job, abort.signal, this.#s)
      if (gaveUp) return undefined
      return { job, outcome, giveUpAt: lease.goneAt + SWEEP_MS, once: abort.signal.aborted, tries: 0 }
    } finally {
      lease.release()
    }
  }

  /** An answer that was so long on its way that the lease may be over: ask before starting. */
  async #sureSpan(job: Job, span: LeaseSpan): Promise<LeaseSpan | undefined> {
    const { clock, marginMs, leaseSeconds, logger } = this.#s
    const askedAt = clock.now()
    if (span.endsAt - marginMs > askedAt) return span
    try {
      await sendHeartbeat(job, this.#s, this.#tools, leaseSeconds * 1000 - marginMs)
      return spanFrom(askedAt, clock.now(), this.#s)
    } catch (error) {
      if (isLost(error)) this.#s.metrics.lockConflict(job.jobType, job.id)
      logger.warn({ jobId: job.id, ...errorFields(error) }, "the job came too late and was not started")
      return undefined
    }
  }

  #loseLease(job: Job, abort: AbortController, reason: Error, refused: boolean): void {
    const { metrics, logger } = this.#s
    if (refused) metrics.lockConflict(job.jobType, job.id)
    logger.warn({ jobId: job.id, jobType: job.jobType, ...errorFields(reason) }, "lease lost, handler told to stop")
    abort.abort(reason)
  }
}

function makeKeeper(settings: RunnerSettings, tools: LeaseTools): LeaseKeeper {
  if (settings.heartbeats === "inline") return new InlineLeaseKeeper(settings, tools)
  const { workerId, leaseSeconds, marginMs, client, logger } = settings
  const { url, restUrl, apiKey } = client.options
  return new ThreadedLeaseKeeper(
    { client: { url, restUrl, apiKey }, terms: { workerId, leaseSeconds, marginMs } },
    logger,
  )
}
