// A worker in the engine's own process: claims as many jobs as it has free slots, runs handlers, reports, waits when there is nothing.

import { LEASE_MS } from "../../model/jobs/standalone-job.ts"
import { claimJobs } from "../../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../../operations/jobs/claim/claimed-job.ts"
import { heartbeatJob } from "../../operations/jobs/claim/heartbeat-job.ts"
import type { Report, ReportOutcome } from "../../operations/jobs/end/report.ts"
import { reportEach } from "../../operations/jobs/end/report-jobs.ts"
import { databaseWatchOf } from "../../operations/kernel/database-watch.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { isDatabaseAway } from "../../operations/kernel/run-operation.ts"
import { isTracing } from "../../support/spans.ts"
import { handlerFailure, RunTimeout } from "../authoring/handler-failure.ts"
import type { Attempt } from "./attempt.ts"
import { attemptInSpan } from "./job-span.ts"
import type { Outcome } from "./outcome.ts"
import { RunningJob } from "./running-job.ts"
import { TimeLimits } from "./time-limits.ts"

export type { Attempt } from "./attempt.ts"

export interface WorkerOptions {
  readonly workerId: string
  /** By job type. */
  readonly attempts: Readonly<Record<string, Attempt>>
  readonly concurrency?: number
  /** Unless it is given, it goes by the kind of work. */
  readonly leaseMs?: number
}

/** What a drain has done. */
export interface Drained {
  /** Jobs that were taken up, those of runs and those that stand alone, however they ended. */
  readonly processed: number
  /** Nothing was ready any more; the time was nearly up, and there may be more to do; or the process was stopped. */
  readonly endedBy: "empty" | "deadline" | "stop"
}

/** An attempt that is over, and what is to be reported of it. */
interface Ended {
  readonly job: RunningJob
  readonly report: Report
}

const WAIT_MS = 30_000
const AFTER_ERROR_MS = 500

export class Worker {
  readonly #kernel: Kernel
  readonly #options: Required<Omit<WorkerOptions, "leaseMs">> & Pick<WorkerOptions, "leaseMs">
  /** Heartbeats come three times in the shortest lease there can be. */
  readonly #beatMs: number
  readonly #stopping = new AbortController()
  readonly #running = new Set<RunningJob>()
  readonly #limits = new TimeLimits(this.#running, (job, runMs) => this.#timeOut(job, runMs))
  #ended: Ended[] = []
  #claimsFail = false
  #saidSo = false
  #beats: NodeJS.Timeout | undefined
  #idle: (() => void) | undefined
  #wakeLoop: (() => void) | undefined
  #loop: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(kernel: Kernel, options: WorkerOptions) {
    this.#kernel = kernel
    this.#options = { concurrency: 64, ...options }
    this.#beatMs = (options.leaseMs ?? Math.min(kernel.settings.leaseDefaultMs, LEASE_MS.critical)) / 3
  }

  start(): this {
    this.#loop ??= this.#claimLoop()
    this.#beats ??= setInterval(() => this.#beatAll(), this.#beatMs)
    return this
  }

  /** No new claims; what runs may finish. A second call waits for the same end. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    this.#wakeLoop?.()
    await this.#loop
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve))
    clearInterval(this.#beats)
    this.#limits.close()
  }

  /** Works until nothing is ready any more, nothing new may be begun, or it is stopped. */
  async runOut(mayBegin: () => boolean = () => true): Promise<Drained> {
    this.#beats ??= setInterval(() => this.#beatAll(), this.#beatMs)
    let processed = 0
    try {
      for (;;) {
        if (this.#stopping.signal.aborted) return { processed, endedBy: "stop" }
        if (!mayBegin()) return { processed, endedBy: "deadline" }
        const busy = this.#running.size
        const free = this.#options.concurrency - busy
        // A failed claim throws: it must not look like an empty queue.
        const jobs = free > 0 ? await this.#ask(free, 0) : []
        this.#run(jobs)
        processed += jobs.length
        // What ended while it looked may have made more ready, which it has not seen: it looks again.
        if (jobs.length > 0 || this.#running.size < busy) continue
        if (busy === 0) return { processed, endedBy: this.#stopping.signal.aborted ? "stop" : "empty" }
        await this.#slotFree()
      }
    } finally {
      await this.stop()
    }
  }

  async #claimLoop(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const free = this.#options.concurrency - this.#running.size
      if (free < this.#worthAClaim()) await this.#slotFree()
      else this.#run(await this.#claim(Math.min(free, this.#half())))
    }
  }

  /** Two halves take turns: while one is being completed the other is claimed and handled, and neither side waits for the other. */
  #half(): number {
    return Math.ceil(this.#options.concurrency / 2)
  }

  /** When busy, slots are claimed for by the handful: a claim per slot would make a batch of one each time. */
  #worthAClaim(): number {
    return this.#running.size === 0 ? 1 : Math.ceil(this.#options.concurrency / 4)
  }

  #ask(maxJobs: number, waitMs: number): Promise<readonly ClaimedJob[]> {
    const { workerId, attempts, leaseMs } = this.#options
    const { signal } = this.#stopping
    const jobTypes = Object.keys(attempts)
    return claimJobs(this.#kernel, { workerId, jobTypes, maxJobs, leaseMs, beats: true, waitMs, signal })
  }

  /** Said once when it begins and once when it is over: in between it fails twice a second. That the database is away, its watch says. */
  async #claim(maxJobs: number): Promise<readonly ClaimedJob[]> {
    const { log } = this.#kernel
    try {
      // After a failure it does not wait for work: whether claims succeed again is to be known now.
      const jobs = await this.#ask(maxJobs, this.#claimsFail ? 0 : WAIT_MS)
      if (this.#saidSo) log.warn("claims succeed again")
      this.#claimsFail = false
      this.#saidSo = false
      return jobs
    } catch (error) {
      const told = this.#saidSo || (isDatabaseAway(error) && databaseWatchOf(this.#kernel).failed(error))
      if (!told) this.#sayClaimsFail(error)
      log.debug({ err: error }, "a claim failed")
      this.#claimsFail = true
      await new Promise((resolve) => setTimeout(resolve, AFTER_ERROR_MS))
      return []
    }
  }

  #sayClaimsFail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#kernel.log.warn({ reason }, "a claim failed; trying again until one succeeds")
    this.#saidSo = true
  }

  /** After this turn of the event loop: handlers that end together free their slots together. */
  #slotFree(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeLoop = () => setImmediate(resolve)
    })
  }

  #run(jobs: readonly ClaimedJob[]): void {
    const now = performance.now()
    for (const claimed of jobs) {
      const job = new RunningJob(claimed, now)
      this.#running.add(job)
      this.#limits.watch(job)
      this.#handle(job)
    }
  }

  /** The handler is told to stop, and not waited for: one that hangs would hold its place, and its job, for ever. */
  #timeOut(job: RunningJob, runMs: number): void {
    const timeout = new RunTimeout(runMs)
    job.end(timeout)
    this.#report(job, handlerFailure(timeout))
  }

  #free(job: RunningJob): void {
    if (!this.#running.delete(job)) return
    this.#wakeLoop?.()
    if (this.#running.size === 0) this.#idle?.()
  }

  /** Never throws. What cannot be told now is left to the lease: the job runs again. */
  #handle(job: RunningJob): void {
    const attempt = this.#options.attempts[job.jobType]
    if (!attempt) return this.#free(job)
    const attempted = isTracing() ? attemptInSpan(attempt, job) : attempt(job)
    attempted.then(
      (outcome) => (outcome && !job.isOver ? this.#report(job, outcome) : this.#free(job)),
      (error) => {
        this.#undelivered(job, error)
        this.#free(job)
      },
    )
  }

  #undelivered(job: RunningJob, error: unknown): void {
    this.#kernel.log.warn({ err: error, jobId: job.id }, "a report could not be delivered")
  }

  /** Attempts that end together are reported together. A place is free when its report has been answered. */
  #report(job: RunningJob, outcome: Outcome): void {
    const report = reportOf(job, outcome, this.#options.workerId)
    if (this.#ended.push({ job, report }) === 1) queueMicrotask(() => this.#reportEnded())
  }

  #reportEnded(): void {
    const ended = this.#ended
    this.#ended = []
    const reports = ended.map(({ report }) => report)
    reportEach(this.#kernel, reports, (at, told) => {
      const { job } = ended[at] as Ended
      if ("error" in told) this.#undelivered(job, told.error)
      else if (told.value !== "accepted") this.#tooLate(job, told.value)
      this.#free(job)
    })
  }

  #tooLate({ id, jobType }: RunningJob, outcome: ReportOutcome): void {
    this.#kernel.log.warn({ jobId: id, jobType, outcome }, "a report came too late, and was not taken")
  }

  /** One timer for all: a job younger than an interval has a fresh lease. */
  #beatAll(): void {
    for (const job of this.#running) if (performance.now() - job.startedAt > this.#beatMs / 2) this.#beat(job)
  }

  #beat(job: RunningJob): void {
    const { workerId, leaseMs } = this.#options
    heartbeatJob(this.#kernel, { jobId: job.id, workerId, token: job.token, leaseMs }).catch((error) => {
      if (error?.code !== "lease-lost") return
      job.lose(error)
      // Told to stop. If it hangs for ever, its place must not hang with it.
      this.#free(job)
    })
  }
}

/** A completion is written out property by property: most reports are one, and a spread of it cost more than the rest of the report. */
function reportOf({ id: jobId, token }: RunningJob, outcome: Outcome, workerId: string): Report {
  if (outcome.verb !== "complete") return { ...outcome, jobId, workerId, token, actor: workerId }
  const { verb, variables, steps, detail } = outcome
  return { verb, variables, jobId, workerId, token, actor: workerId, steps, detail }
}
