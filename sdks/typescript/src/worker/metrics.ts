// The metrics of a worker, under the names every SDK uses, and hooks for those who measure elsewhere.
import { Counter, Histogram } from "./prometheus.ts"

export type ReportedOutcome = "success" | "failure"

/** Called beside each measurement; keep them quick. What they throw is dropped: measuring must not harm a job. */
export interface MetricsHooks {
  readonly onPoll?: (event: { readonly seconds: number; readonly jobs: number }) => void
  readonly onLockConflict?: (event: { readonly jobType: string; readonly jobId: string }) => void
  readonly onHandler?: (event: { readonly jobType: string; readonly seconds: number }) => void
  readonly onRetry?: (event: { readonly jobType: string }) => void
  readonly onJobCompleted?: (event: { readonly jobType: string; readonly outcome: ReportedOutcome }) => void
}

const POLL_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 20, 30]
const HANDLER_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** The worker's measurements, in Prometheus' text format; one may be shared between runners. */
export class SdkMetrics {
  readonly #hooks: MetricsHooks
  readonly #poll = new Histogram(
    "workflow_sdk_poll_latency_seconds",
    "Time from asking for jobs to the answer, the engine's waiting included.",
    POLL_BOUNDS,
  )
  readonly #conflicts = new Counter(
    "workflow_sdk_lock_conflicts_total",
    "Reports and heartbeats refused because the lease was lost.",
    { startsAtZero: true },
  )
  readonly #handler = new Histogram("workflow_sdk_handler_latency_seconds", "Time handlers ran.", HANDLER_BOUNDS)
  readonly #retries = new Counter("workflow_sdk_retries_total", "Failures reported as retryable.")
  readonly #completed = new Counter("workflow_sdk_jobs_completed_total", "Jobs whose report the engine accepted.")

  constructor(hooks: MetricsHooks = {}) {
    this.#hooks = hooks
  }

  polled(seconds: number, jobs: number): void {
    this.#poll.observe(seconds)
    tell(this.#hooks.onPoll, { seconds, jobs })
  }

  lockConflict(jobType: string, jobId: string): void {
    this.#conflicts.add()
    tell(this.#hooks.onLockConflict, { jobType, jobId })
  }

  handled(jobType: string, seconds: number): void {
    this.#handler.observe(seconds, { job_type: jobType })
    tell(this.#hooks.onHandler, { jobType, seconds })
  }

  retried(jobType: string): void {
    this.#retries.add({ job_type: jobType })
    tell(this.#hooks.onRetry, { jobType })
  }

  completed(jobType: string, outcome: ReportedOutcome): void {
    this.#completed.add({ job_type: jobType, outcome })
    tell(this.#hooks.onJobCompleted, { jobType, outcome })
  }

  /** Prometheus' text format. */
  metricsText(): string {
    const all = [this.#poll, this.#conflicts, this.#handler, this.#retries, this.#completed]
    return all.map((metric) => metric.render()).join("")
  }
}

function tell<E>(hook: ((event: E) => void) | undefined, event: E): void {
  try {
    hook?.(event)
  } catch {
    // See MetricsHooks.
  }
}
