// Puts the operations' tools together: caches, clock, and one batcher per hot write.
import { randomBytes } from "node:crypto"
import { Batcher, type BatchOutcome } from "../../db/batcher.ts"
import { DatabaseClock } from "../../db/clock.ts"
import type { Database } from "../../db/database.ts"
import { isAway } from "../../db/errors.ts"
import { RetryBudget } from "../../model/jobs/retry-budget.ts"
import type { LeasedRunStep } from "../../store/runs/run-steps.ts"
import { ulidFactory } from "../../support/ids.ts"
import type { Logger } from "../../support/log.ts"
import type { Metrics } from "../../support/metrics.ts"
import { DefinitionCache } from "../definitions/definition-cache.ts"
import { Dispatch } from "../flow/dispatch.ts"
import { fillBatch } from "../flow/fill-limits.ts"
import { Gates } from "../flow/gates.ts"
import { LiveSettings } from "../flow/live-settings.ts"
import { QueueRegistry } from "../flow/queue-registry.ts"
import { type AdvanceItem, advanceBatch, advanceStragglers, type Straggler } from "../instances/advance.ts"
import { Endings } from "../instances/endings.ts"
import { type StartItem, startAlone, startBatch } from "../instances/start-instance.ts"
import { type IntakeItem, intakeAlone, intakeBatch } from "../instances/take-intake.ts"
import { claimBatch } from "../jobs/claim/claim-jobs.ts"
import { heartbeatBatch } from "../jobs/claim/heartbeat-job.ts"
import { LowWater } from "../jobs/claim/low-water.ts"
import { Wakeups } from "../jobs/claim/wakeups.ts"
import { Downtime } from "../jobs/end/downtime.ts"
import type { Completion, Failure } from "../jobs/end/report-jobs.ts"
import { completeBatch, failBatch, type StandaloneReport } from "../jobs/end/report-standalone.ts"
import { type EnqueueItem, enqueueBatch } from "../jobs/enqueue/enqueue-job.ts"
import { enqueueKeyed } from "../jobs/enqueue/enqueue-keyed.ts"
import { enqueueLate } from "../jobs/enqueue/enqueue-keys.ts"
import { CounterSeries } from "../observability/counter-series.ts"
import { createFeed } from "../observability/overview-feed.ts"
import { ListVersions } from "../runs/list-versions.ts"
import { recordBatch } from "../runs/record-step.ts"
import type { Context, OperationSettings } from "./context.ts"

const MAX_BATCH_BYTES = 1_048_576

interface Parts {
  readonly db: Database
  readonly log: Logger
  readonly metrics: Metrics
  readonly settings: OperationSettings
  readonly batchMax: number
  readonly nudge?: Context["nudge"]
  readonly clock?: DatabaseClock
  readonly random?: () => number
}

export function createContext(parts: Parts): Context {
  const { db, log, metrics, settings, batchMax, nudge = () => {} } = parts
  const { clock = new DatabaseClock(), random = Math.random } = parts
  const batcher = <Item, Result>(
    run: (ctx: Context, items: readonly Item[]) => Promise<readonly BatchOutcome<Result>[]>,
    flights: number,
    options: { keyOf?: (item: Item) => string; sizeOf?: (item: Item) => number; maxItems?: number } = {},
  ) =>
    new Batcher<Item, Result>({
      run: (items) => run(ctx, items),
      maxItems: batchMax,
      flights,
      splits: (error) => !isAway(error),
      maxSize: MAX_BATCH_BYTES,
      ...options,
    })
  const queues = new QueueRegistry(db.aside)
  const wakeups = new Wakeups()
  const live = new LiveSettings(db.aside, log, settings.weights)
  const ctx: Context = {
    processId: `${process.pid}-${randomBytes(6).toString("hex")}`,
    db,
    clock,
    log,
    metrics,
    settings,
    newId: ulidFactory(() => clock.nowMs()),
    random,
    definitions: new DefinitionCache(db.aside),
    queues,
    lowWater: new LowWater(),
    gates: new Gates(),
    wakeups,
    live,
    dispatch: new Dispatch({ queues, live, wakeups }),
    downtime: new Downtime(),
    retryBudget: new RetryBudget(),
    lists: new ListVersions(db),
    endings: new Endings(),
    series: new CounterSeries(),
    feed: createFeed(() => ctx),
    nudge,
    starts: batcher(startBatch, 2, { sizeOf: ({ request }: StartItem) => request.size ?? 0 }),
    lateStarts: batcher(startAlone, 2, { maxItems: 1 }),
    advances: batcher(advanceBatch, 2, {
      keyOf: (item: AdvanceItem<unknown>) => item.instanceId,
      sizeOf: (item: AdvanceItem<unknown>) => item.size ?? 0,
    }),
    stragglers: batcher(advanceStragglers, 2, { maxItems: 1, keyOf: ({ item }: Straggler) => item.instanceId }),
    claims: batcher(claimBatch, 1),
    heartbeats: batcher(heartbeatBatch, 1),
    records: batcher(recordBatch, 2, { keyOf: ({ instanceId }: LeasedRunStep) => instanceId }),
    intakes: batcher(intakeBatch, 1, { sizeOf: ({ size }: IntakeItem) => size }),
    lateIntakes: batcher(intakeAlone, 2, { maxItems: 1 }),
    enqueues: batcher(enqueueBatch, 1, { sizeOf: ({ row }: EnqueueItem) => row.payload.length }),
    keyedEnqueues: batcher(enqueueKeyed, 2, { sizeOf: ({ row }: EnqueueItem) => row.payload.length }),
    lateEnqueues: batcher(enqueueLate, 4, { maxItems: 1 }),
    completions: batcher(completeBatch, 2, { sizeOf: ({ report }: StandaloneReport<Completion>) => report.size ?? 0 }),
    failures: batcher(failBatch, 2, { keyOf: ({ id }: StandaloneReport<Failure>) => id }),
    fills: batcher(fillBatch, 1),
  }
  return ctx
}
