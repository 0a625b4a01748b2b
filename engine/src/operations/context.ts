// What every operation works with: the database, the caches in front of it, and the batchers that fuse requests.
import type { Batcher } from "../db/batcher.ts"
import type { DatabaseClock } from "../db/clock.ts"
import type { Database } from "../db/database.ts"
import type { PlanContext } from "../model/planner/draft.ts"
import type { LeasedRunStep } from "../store/run-steps.ts"
import type { Logger } from "../support/log.ts"
import type { Metrics } from "../support/metrics.ts"
import type { AdvanceItem, Straggler } from "./advance.ts"
import type { ClaimItem } from "./claim-jobs.ts"
import type { ClaimedJob } from "./claimed-job.ts"
import type { DefinitionCache } from "./definition-cache.ts"
import type { Endings } from "./endings.ts"
import type { HeartbeatItem } from "./heartbeat-job.ts"
import type { ListVersions } from "./list-versions.ts"
import type { LowWater } from "./low-water.ts"
import type { QueueRegistry } from "./queue-registry.ts"
import type { StartedInstance, StartItem } from "./start-instance.ts"
import type { IntakeItem } from "./take-intake.ts"
import type { Wakeups } from "./wakeups.ts"

/** The singleton loops, each led by one process at a time. */
export const LOOPS = ["reaper", "timers", "releaser", "chains", "requests", "bulk", "housekeeper"] as const
export type LoopName = (typeof LOOPS)[number]

export interface OperationSettings {
  readonly auditLogEnabled: boolean
  readonly leaseDefaultMs: number
  readonly maxLostLeases: number
  readonly retainMs: number
}

export interface Context {
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
  readonly wakeups: Wakeups
  readonly lists: ListVersions
  readonly endings: Endings
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
}

export const planContext = (ctx: Context, nowMs: number): PlanContext => ({
  nowMs,
  random: ctx.random,
  maxLostLeases: ctx.settings.maxLostLeases,
})
