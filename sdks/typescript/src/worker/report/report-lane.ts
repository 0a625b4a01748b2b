// Brings finished jobs back to the engine, one request at a time, and asks for more work on the same way.
//
// What finishes while a request is in flight goes together in the next one: alone, a report leaves at once; under load
// batches grow by themselves. A report that could not be delivered stays at the front until its lease is surely gone; one
// over which the engine or the connection breaks waits apart, so that the others pass; one that cannot be sent at all fails
// its job.
import { setImmediate as nextTurn } from "node:timers/promises"
import { backoffMs } from "../../calls/backoff.ts"
import { type Clock, sleep } from "../../calls/clock.ts"
import { MillraceError, type TransportError } from "../../calls/errors.ts"
import { errorFields, type Logger } from "../../calls/logger.ts"
import type { Job, JobCalls, ReportOutcome } from "../../client/job-types.ts"
import type { PollOptions } from "../../generated/wire.ts"
import { type Outcome, refusedByEngine, unsendable } from "../outcome.ts"
import { exchangeReports, inAnswerOrder, type Report, takeBatch } from "./report.ts"
import { type Delivery, isCut, isLost, isRefusal, isUnsendable, reportSingly } from "./report-singly.ts"

/** A question for more jobs that rides along with reports. */
export interface Ask {
  readonly poll: PollOptions
  /** Called once, whatever happens: the jobs, or none. */
  answered(jobs: readonly Job[]): void
}

export interface ReportLaneOptions {
  readonly calls: JobCalls
  readonly workerId: string
  /** Many at once, or one by one. */
  readonly exchanges: boolean
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when nothing more is to be delivered. */
  readonly signal: AbortSignal
  readonly ask: () => Ask | undefined
  readonly settled: (report: Report, outcome: ReportOutcome | "dropped") => void
  /** Everything that was ready is on its way or has arrived. */
  readonly flushed: () => void
}

export class ReportLane {
  readonly #o: ReportLaneOptions
  #waiting: Report[] = []
  #running = false
  #aside = 0
  #failures = 0
  #exchanges: boolean
  #mayAsk = true

  constructor(options: ReportLaneOptions) {
    this.#o = options
    this.#exchanges = options.exchanges
  }

  /** Reports that no request carries yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  get idle(): boolean {
    return !this.#running && this.#aside === 0
  }

  add(report: Report): void {
    this.#waiting.push(report)
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    // A turn of the event loop lets handlers that finish at the same moment travel together.
    await nextTurn()
    while (this.#waiting.length > 0 && !this.#o.signal.aborted) {
      this.#dropHopeless()
      await this.#send(takeBatch(this.#waiting))
      await nextTurn()
    }
    this.#running = false
    this.#o.flushed()
  }

  async #send(batch: Report[]): Promise<void> {
    if (batch.length === 0) return
    for (const report of batch) report.tries += 1
    // An exchange takes jobs with a token alone.
    if (this.#exchanges && batch.every(({ job }) => job.leaseToken)) await this.#exchange(batch)
    else await this.#sendSingly(batch)
  }

  async #exchange(batch: Report[]): Promise<void> {
    const { calls, workerId, timeoutMs, signal } = this.#o
    const ask = this.#mayAsk ? this.#o.ask() : undefined
    this.#o.flushed()
    let jobs: readonly Job[] = []
    try {
      const request = { workerId, ...exchangeReports(batch), ...(ask ? { poll: ask.poll } : {}) }
      const answer = await calls.exchange(request, { timeoutMs, signal, maxAttempts: ask ? 2 : 1 })
      jobs = answer.jobs
      this.#failures = 0
      for (const [i, report] of inAnswerOrder(batch).entries())
        this.#o.settled(report, answer.results[i]?.outcome ?? "unknown")
    } catch (error) {
      await this.#afterFailedExchange(batch, error)
    } finally {
      ask?.answered(jobs)
    }
  }

  async #afterFailedExchange(batch: Report[], error: unknown): Promise<void> {
    if (error instanceof MillraceError && this.#learns(error)) return this.#putBack(batch)
    if (batch.length === 1 && isLost(error)) return this.#setAside(batch[0]!, error)
    if (isCut(error) || isRefusal(error) || isBreakdown(error) || isUnsendable(error, this.#o.signal))
      return this.#sendSingly(batch)
    await this.#tryAgainLater(batch, error)
  }

  /** An engine without exchange, or one that dispatches through Kafka and takes reports only. */
  #learns(error: MillraceError): boolean {
    if (error.status === 404 || error.status === 405) this.#exchanges = false
    else if (error.status === 410 && this.#mayAsk) this.#mayAsk = false
    else return false
    this.#o.logger.info(errorFields(error), "the engine takes reports in another way, adapting")
    return true
  }

  async #sendSingly(batch: readonly Report[]): Promise<void> {
    const { calls, workerId, timeoutMs, signal } = this.#o
    const deliveries = await Promise.all(
      batch.map((report) => reportSingly(calls, workerId, report, { timeoutMs, signal, maxAttempts: 1 })),
    )
    const undelivered = batch.filter((report, i) => !this.#delivered(report, deliveries[i]!))
    const failure = deliveries.find((delivery) => delivery.kind === "undelivered" && !isOwnFault(delivery.error))
    if (failure?.kind === "undelivered") await this.#tryAgainLater(undelivered, failure.error)
    else this.#failures = 0
  }

  /** False when it has to be sent again with the next. */
  #delivered(report: Report, delivery: Delivery): boolean {
    if (delivery.kind === "undelivered") {
      if (!isOwnFault(delivery.error)) return false
      this.#setAside(report, delivery.error)
    } else if (delivery.kind === "delivered") this.#o.settled(report, delivery.outcome)
    else if (delivery.kind === "unsendable") this.#failInstead(report, delivery.error, unsendable(delivery.error))
    else this.#failInstead(report, delivery.error, refusedByEngine(delivery.error.message))
    return true
  }

  /** Variables that are not taken fail the job; dropping them would only run it again, to the same end. */
  #failInstead(report: Report, error: unknown, outcome: Outcome): void {
    this.#o.logger.error({ jobId: report.job.id, ...errorFields(error) }, "a report was refused")
    if (report.outcome.kind === "failed") this.#o.settled(report, "dropped")
    else this.#waiting.unshift({ ...report, outcome, tries: 0 })
  }

  #setAside(report: Report, error: MillraceError | TransportError): void {
    const { clock, logger, signal } = this.#o
    this.#aside += 1
    logger.warn({ jobId: report.job.id, ...errorFields(error) }, "a report did not get through, trying again")
    void sleep(clock, backoffMs(report.tries), signal).then(() => {
      this.#aside -= 1
      this.add(report)
    })
  }

  async #tryAgainLater(reports: readonly Report[], error: unknown): Promise<void> {
    this.#putBack(reports)
    if (this.#o.signal.aborted) return
    this.#failures += 1
    this.#o.logger.warn({ reports: reports.length, ...errorFields(error) }, "reports not delivered, trying again")
    const askedMs = error instanceof MillraceError ? (error.retryAfter ?? 0) * 1000 : 0
    await sleep(this.#o.clock, Math.max(askedMs, backoffMs(this.#failures)), this.#o.signal)
  }

  #putBack(reports: readonly Report[]): void {
    this.#waiting.unshift(...reports)
  }

  #dropHopeless(): void {
    const now = this.#o.clock.now()
    const isHopeless = (report: Report) => report.tries > 0 && (report.once || report.giveUpAt <= now)
    const hopeless = this.#waiting.filter(isHopeless)
    if (hopeless.length === 0) return
    this.#waiting = this.#waiting.filter((report) => !isHopeless(report))
    for (const report of hopeless) this.#o.settled(report, "dropped")
  }
}

/** The engine answers, but cannot do it: the fault lies with this request and not with the link. */
const isBreakdown = (error: unknown): error is MillraceError => error instanceof MillraceError && error.status === 500

/** True when the fault lies with the report and not with the link. Expects the error of a report that was sent alone. */
const isOwnFault = (error: unknown): error is MillraceError | TransportError => isBreakdown(error) || isLost(error)
