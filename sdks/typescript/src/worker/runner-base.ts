// What every runner does, wherever its jobs come from: it has them run, reports the outcomes, stops in good order.
//
//   intake ──► workbench ──► report lane ──► engine
//              (handlers, leases)    (its answers may bring jobs too)
//
// running → draining (no new jobs; handlers finish, reports leave) → over. Only `stop` moves it on.
import { setMaxListeners } from "node:events"
import { sleep } from "../calls/clock.ts"
import { errorFields } from "../calls/logger.ts"
import type { Job, ReportOutcome } from "../client/job-types.ts"
import { Bell } from "./bell.ts"
import type { Ending, Intake, IntakeTools } from "./intake.ts"
import type { SdkMetrics } from "./metrics.ts"
import type { Report } from "./report/report.ts"
import { ReportLane } from "./report/report-lane.ts"
import type { RunnerSettings, StopOptions } from "./runner-options.ts"
import { Slots } from "./slots.ts"
import { Workbench } from "./workbench.ts"

/** How a stop ended. */
export interface StopResult {
  /** Everything that was running finished and was reported. */
  readonly drained: boolean
  /** Handlers left running; their jobs come back when the leases end. */
  readonly unfinished: number
}

export class RunnerBase {
  readonly metrics: SdkMetrics
  readonly #stopOptions: StopOptions
  readonly #s: RunnerSettings
  readonly #slots: Slots
  readonly #workbench: Workbench
  readonly #reports: ReportLane
  readonly #intake: Intake
  readonly #changed = new Bell()
  readonly #draining = new AbortController()
  readonly #over = new AbortController()
  #started = false
  #fault: unknown
  #stopped: Promise<StopResult> | undefined

  constructor(stopOptions: StopOptions, settings: RunnerSettings, makeIntake: (tools: IntakeTools) => Intake) {
    this.#stopOptions = stopOptions
    this.#s = settings
    this.metrics = settings.metrics
    this.#slots = new Slots(settings.concurrency)
    const finished = (job: Job, result: Report | Ending) => this.#finished(job, result)
    this.#workbench = new Workbench({ settings, slots: this.#slots, finished })
    // Reports sent one by one listen to it all at once.
    setMaxListeners(0, this.#over.signal)
    this.#reports = this.#makeReportLane()
    this.#intake = makeIntake(this.#tools())
  }

  /** Starts and returns; `stop` ends it. Where a package is missing it ends by itself, with an error in the log. */
  start(): this {
    if (this.#started) throw new Error("this runner was started before; make a new one")
    if (this.#s.handlers.jobTypes().length === 0) throw new Error("this runner has no handlers")
    this.#started = true
    this.#listen()
    void this.#begin()
    return this
  }

  /** Starts and resolves when stopped: by `stop`, by the signal, or by a process signal. Rejects when it cannot start. */
  async run(): Promise<StopResult> {
    this.start()
    while (!this.#stopped) await this.#changed.next()
    const result = await this.#stopped
    if (this.#fault) throw this.#fault
    return result
  }

  /** No new jobs; waits for running handlers and their reports, then ends. Unfinished jobs come back. */
  stop(options: { readonly timeoutMs?: number } = {}): Promise<StopResult> {
    this.#stopped ??= this.#drain(options.timeoutMs ?? this.#s.stopTimeoutMs)
    return this.#stopped
  }

  /** Prometheus' text format. */
  metricsText(): string {
    return this.metrics.metricsText()
  }

  /** What is not installed now will not be there later. */
  async #begin(): Promise<void> {
    try {
      await this.#s.client.prepare()
      await this.#intake.prepare?.()
    } catch (error) {
      this.#fault = error
      this.#s.logger.error(errorFields(error), "the runner cannot start")
      return void this.stop()
    }
    await this.#intake.run()
  }

  async #drain(timeoutMs: number): Promise<StopResult> {
    this.#draining.abort()
    let patient = timeoutMs > 0
    void sleep(this.#s.clock, timeoutMs, this.#over.signal).then(() => {
      patient = false
      this.#changed.ring()
    })
    this.#changed.ring()
    while (patient && !this.#drained) await this.#changed.next()
    const result = { drained: this.#drained, unfinished: this.#slots.running }
    this.#over.abort()
    await this.#workbench.close()
    await this.#intake.close?.()
    return result
  }

  get #drained(): boolean {
    return this.#slots.running === 0 && this.#reports.idle && this.#slots.asked === 0
  }

  #listen(): void {
    const stop = () => void this.stop()
    const { signal, stopOn = [] } = this.#stopOptions
    signal?.addEventListener("abort", stop, { once: true })
    for (const name of stopOn) process.once(name, stop)
    this.#draining.signal.addEventListener("abort", () => {
      signal?.removeEventListener("abort", stop)
      for (const name of stopOn) process.removeListener(name, stop)
    })
    if (signal?.aborted) stop()
  }

  #finished(job: Job, result: Report | Ending): void {
    if (typeof result === "string") this.#intake.ended?.(job, result)
    else if (!this.#over.signal.aborted) this.#reports.add(result)
    this.#wake()
  }

  #settled(report: Report, verdict: ReportOutcome | "dropped"): void {
    this.#workbench.settled(report, verdict)
    this.#intake.ended?.(report.job, verdict)
  }

  /** Places or reports changed: the intake may go on, a drain may be over. */
  #wake(): void {
    this.#intake.wake()
    this.#changed.ring()
  }

  #tools(): IntakeTools {
    return {
      settings: this.#s,
      slots: this.#slots,
      draining: this.#draining.signal,
      over: this.#over.signal,
      reportsWaiting: () => this.#reports.waiting,
      take: (jobs, askedAt) => {
        if (!this.#over.signal.aborted) this.#workbench.take(jobs, askedAt)
      },
      tellToStop: (job, reason) => this.#workbench.tellToStop(job, reason),
      wake: () => this.#wake(),
    }
  }

  #makeReportLane(): ReportLane {
    const { client, workerId, mode, clock, logger, leaseSeconds } = this.#s
    return new ReportLane({
      calls: client,
      workerId,
      exchanges: mode !== "poll",
      timeoutMs: Math.min(30_000, (leaseSeconds * 1000) / 3),
      clock,
      logger,
      signal: this.#over.signal,
      ask: () => this.#intake.ask?.(),
      settled: (report, verdict) => this.#settled(report, verdict),
      flushed: () => this.#wake(),
    })
  }
}
