// What every operation works with: the database, the caches in front of it, and the batchers that fuse requests.
import type { Batcher } from "../../db/batcher.ts"
import type { DatabaseClock } from "../../db/clock.ts"
import type { Database } from "../../db/database.ts"
import type { Weights } from "../../model/flow/weights.ts"
import type { PlanContext } from "../../model/instances/draft.ts"
import type { RetryBudget } from "../../model/jobs/retry-budget.ts"
import type { LeasedRunStep } from "../../store/runs/run-steps.ts"
import type { Logger } from "../../support/log.ts"
import type { Metrics } from "../../support/metrics.ts"
import type { DefinitionCache } from "../definitions/definition-cache.ts"
import type { Dispatch } from "../flow/dispatch.ts"
import type { Gates } from "../flow/gates.ts"
import type { LiveSettings } from "../flow/live-settings.ts"
import type { QueueRegistry } from "../flow/queue-registry.ts"
import type { AdvanceItem, Straggler } from "../instances/advance.ts"
import type { Endings } from "../instances/endings.ts"
import type { StartedInstance, StartItem } from "../instances/start-instance.ts"
import type { IntakeItem } from "../instances/take-intake.ts"
import type { ClaimItem } from "../jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../jobs/claim/claimed-job.ts"
import type { HeartbeatItem } from "../jobs/claim/heartbeat-job.ts"
import type { LowWater } from "../jobs/claim/low-water.ts"
import type { Wakeups } from "../jobs/claim/wakeups.ts"
import type { Downtime } from "../jobs/end/downtime.ts"
import type { Completion, Failure } from "../jobs/end/report-jobs.ts"
import type { StandaloneReport } from "../jobs/end/report-standalone.ts"
import type { Enqueued, EnqueueItem } from "../jobs/enqueue/enqueue-job.ts"
import type { CounterSeries } from "../observability/counter-series.ts"
import type { OverviewFeed } from "../observability/overview-feed.ts"
import type { ListVersions } from "../runs/list-versions.ts"

/** The singleton loops, each led by one process at a time. */
export const LOOPS = [
  "reaper",
  "timers",
  "releaser",
  "limits",
  "chains",
  "requests",
  "schedules",
  "bulk",
  "meter",
  "housekeeper",
] as const
export type LoopName = (typeof LOOPS)[number]

/** A busy engine folds its depths about four times a second. */
export const METER_MS = 250

export interface OperationSettings {
  readonly auditLogEnabled: boolean
  readonly leaseDefaultMs: number
  readonly maxLostLeases: number
  readonly retainMs: number
  /** Of the lanes, unless an operator has set others. */
  readonly weights: Weights
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly totalHighWatermark: number
  readonly totalLowWatermark: number
  readonly backpressureRetryAfterSeconds: number
  /** Of standalone jobs that name none. */
  readonly jobRetries: number
  readonly jobTimeoutMs: number
  /** More queued steps than this are an alert; the webhook is told of it too. */
  readonly alertQueuedSteps: number
  readonly alertWebhook: string | undefined
}

export interface Context {
  /** Names this process among those that work on the same database. */
  readonly processId: string
  readonly db: Database
  readonly clock: DatabaseClock
  readonly log: Logger
  readonly metrics: Metrics
  readonly settings: OperationSettings
  readonly newId: () => string
  readonly random: () => number
  readonly definitions: DefinitionCache
  readonly queues: QueueRegistry
  readonly lowWater: LowWater
  readonly gates: Gates
  readonly wakeups: Wakeups
  readonly live: LiveSettings
  readonly dispatch: Dispatch
  readonly downtime: Downtime
  readonly retryBudget: RetryBudget
  readonly lists: ListVersions
  readonly endings: Endings
  readonly series: CounterSeries
  readonly feed: OverviewFeed
  /** Tells the loops of this process that something falls due before the next pulse. */
  readonly nudge: (loop: LoopName, inMs: number) => void
  readonly starts: Batcher<StartItem, StartedInstance>
  /** Starts whose key an open transaction holds. */
  readonly lateStarts: Batcher<StartItem, StartedInstance>
  readonly advances: Batcher<AdvanceItem<unknown>, unknown>
  readonly stragglers: Batcher<Straggler, unknown>
  readonly claims: Batcher<ClaimItem, readonly ClaimedJob[]>
  readonly heartbeats: Batcher<HeartbeatItem, number | undefined>
  readonly records: Batcher<LeasedRunStep, boolean>
  readonly intakes: Batcher<IntakeItem, void>
  readonly lateIntakes: Batcher<IntakeItem, void>
  /** Standalone jobs, by what may keep them waiting: nothing, somebody's key, or more than one statement. */
  readonly enqueues: Batcher<EnqueueItem, Enqueued>
  readonly keyedEnqueues: Batcher<EnqueueItem, Enqueued>
  readonly lateEnqueues: Batcher<EnqueueItem, Enqueued>
  readonly completions: Batcher<StandaloneReport<Completion>, "accepted" | "not-holder">
  readonly failures: Batcher<StandaloneReport<Failure>, "accepted" | "not-holder">
  readonly fills: Batcher<string, void>
}

export const planContext = (ctx: Context, nowMs: number): PlanContext => ({
  nowMs,
  random: ctx.random,
  maxLostLeases: ctx.settings.maxLostLeases,
})
