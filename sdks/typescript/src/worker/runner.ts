// A worker: claims jobs, has them run, reports the outcomes, stops in good order.
//
//   poll or stream ─┐ jobs
//                   ├──────► workbench ──► report lane ──► engine
//   report lane ────┘        (handlers, leases)    (its answers bring jobs too)
//
// running → draining (no new polls; handlers finish, reports leave) → over. Only `stop` moves it on.
import { setMaxListeners } from "node:events"
import { sleep } from "../calls/clock.ts"
import { errorFields } from "../calls/logger.ts"
import type { Job } from "../client/job-types.ts"
import type { PollOptions } from "../generated/wire.ts"
import { Bell } from "./bell.ts"
import type { SdkMetrics } from "./metrics.ts"
import { PollLane } from "./poll-lane.ts"
import type { Report } from "./report.ts"
import { type Ask, ReportLane } from "./report-lane.ts"
import { type RunnerOptions, type RunnerSettings, readOptions } from "./runner-options.ts"
import { Slots } from "./slots.ts"
import { StreamLane, type StreamLaneOptions } from "./stream-lane.ts"
import { Workbench } from "./workbench.ts"

/** How a stop ended. */
export interface StopResult {
  /** Everything that was running finished and was reported. */
  readonly drained: boolean
  /** Handlers left running; their jobs come back when the leases end. */
  readonly unfinished: number
}

/** Most jobs one request may ask for. */
const MAX_JOBS = 100

/** A worker: claims jobs, runs their handlers, reports the outcomes, and stops in good order. */
export class Runner {
  readonly metrics: SdkMetrics
  readonly #options: RunnerOptions
  readonly #s: RunnerSettings
  readonly #slots: Slots
  readonly #workbench: Workbench
  readonly #reports: ReportLane
  readonly #intake: PollLane | StreamLane
  readonly #changed = new Bell()
  readonly #draining = new AbortController()
  readonly #over = new AbortController()
  #started = false
  #fault: unknown
  #stopped: Promise<StopResult> | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#s = readOptions(options)
    this.metrics = this.#s.metrics
    this.#slots = new Slots(this.#s.concurrency)
    const finished = (report: Report | undefined) => this.#finished(report)
    this.#workbench = new Workbench({ settings: this.#s, slots: this.#slots, finished })
    // Reports sent one by one listen to it all at once.
    setMaxListeners(0, this.#over.signal)
    this.#reports = this.#makeReportLane()
    this.#intake = this.#s.mode === "stream" ? this.#makeStreamLane() : this.#makePollLane()
  }

  /** Starts and returns; `stop` ends it. Where the packages of gRPC are missing it ends by itself, with an error in the log. */
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

  /** No new polls; waits for running handlers and their reports, then ends. Unfinished jobs come back by lease expiry. */
  stop(options: { readonly timeoutMs?: number } = {}): Promise<StopResult> {
    this.#stopped ??= this.#drain(options.timeoutMs ?? this.#s.stopTimeoutMs)
    return this.#stopped
  }

  /** Prometheus' text format. */
  metricsText(): string {
    return this.metrics.metricsText()
  }

  /** What is not installed now will not be there at the next poll. */
  async #begin(): Promise<void> {
    try {
      await this.#s.client.prepare()
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
    return result
  }

  get #drained(): boolean {
    return this.#slots.running === 0 && this.#reports.idle && this.#slots.asked === 0
  }

  #listen(): void {
    const stop = () => void this.stop()
    const { signal, stopOn = [] } = this.#options
    signal?.addEventListener("abort", stop, { once: true })
    for (const name of stopOn) process.once(name, stop)
    this.#draining.signal.addEventListener("abort", () => {
      signal?.removeEventListener("abort", stop)
      for (const name of stopOn) process.removeListener(name, stop)
    })
    if (signal?.aborted) stop()
  }

  async #poll(places: number, signal: AbortSignal): Promise<number> {
    const answered = this.#askFor(places)
    let jobs: readonly Job[] = []
    try {
      const wait = "waitSeconds" in this.#s.pace ? this.#s.pace : {}
      const request = { workerId: this.#s.workerId, ...this.#pollOptions(places), ...wait }
      jobs = await this.#s.client.poll(request, { signal })
      return jobs.length
    } finally {
      answered(jobs)
    }
  }

  /** A question that rides along with reports. */
  #ask(): Ask | undefined {
    const places = this.#mayAsk ? Math.min(MAX_JOBS, this.#slots.free) : 0
    if (places <= 0) return undefined
    return { poll: this.#pollOptions(places), answered: this.#askFor(places) }
  }

  get #mayAsk(): boolean {
    return this.#s.mode === "exchange" && !this.#draining.signal.aborted
  }

  /** Promises places to a question; the returned function takes the answer. */
  #askFor(places: number): (jobs: readonly Job[]) => void {
    const askedAt = this.#s.clock.now()
    this.#slots.ask(places)
    return (jobs) => {
      this.#slots.answered(places)
      this.metrics.polled((this.#s.clock.now() - askedAt) / 1000, jobs.length)
      if (!this.#over.signal.aborted) this.#workbench.take(jobs, askedAt)
      this.#wake()
    }
  }

  #pollOptions(places: number): PollOptions {
    return { jobTypes: this.#s.handlers.jobTypes(), maxJobs: places, leaseSeconds: this.#s.leaseSeconds }
  }

  /** Places for the poll lane: what is free and not about to be asked for by the reports that wait. */
  #freeForPoll(): number {
    const spoken = this.#mayAsk && this.#reports.waiting > 0 ? MAX_JOBS : 0
    return Math.min(MAX_JOBS, Math.max(0, this.#slots.free - spoken))
  }

  #finished(report: Report | undefined): void {
    if (report && !this.#over.signal.aborted) this.#reports.add(report)
    this.#wake()
  }

  /** Places or reports changed: the poll lane may go on, a drain may be over. */
  #wake(): void {
    this.#intake.wake()
    this.#changed.ring()
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
      ask: () => this.#ask(),
      settled: (report, verdict) => this.#workbench.settled(report, verdict),
      flushed: () => this.#wake(),
    })
  }

  #makeStreamLane(): StreamLane {
    const { client, clock, logger, workerId, leaseSeconds, handlers } = this.#s
    const open: StreamLaneOptions["open"] = (credit, events) =>
      client.streamJobs({ workerId, leaseSeconds, credit, jobTypes: handlers.jobTypes() }, events)
    // Pushed as soon as it is claimed: the lease began as long ago as the way here takes, which the margin covers.
    const take = (jobs: readonly Job[]) => this.#workbench.take(jobs, clock.now())
    return new StreamLane({ clock, logger, signal: this.#draining.signal, slots: this.#slots, open, take })
  }

  #makePollLane(): PollLane {
    const { clock, logger, pace } = this.#s
    return new PollLane({
      clock,
      logger,
      pace,
      signal: this.#draining.signal,
      places: () => this.#freeForPoll(),
      poll: (places, signal) => this.#poll(places, signal),
    })
  }
}
