// Sets the gauges of the queues, every 15 s in every process: a scrape reads memory and asks the database nothing.
import type { Priority } from "../../model/definitions/definition.ts"
import { LANES } from "../../model/flow/weights.ts"
import { countDeadLetters } from "../../store/dead-letters/dead-letters.ts"
import { countReady, listFirst, measureLeases } from "../../store/flow/depths.ts"
import type { Context } from "../kernel/context.ts"
import { type Depths, rangesOf, readDepths } from "./read-depths.ts"

/** Bounds of what one measurement reads. */
const MOST_QUEUES = 1_000
const MOST_LEASES = 1_000
const COUNTED = 100_000

export async function measureQueues(ctx: Context): Promise<void> {
  const [depths, dead] = await Promise.all([readDepths(ctx), countDeadLetters(ctx.db, COUNTED)])
  showDeadLetters(ctx, dead)
  showGates(ctx, depths)
  const queueIds = busiestOf(depths)
  await Promise.all([measureSteps(ctx, queueIds), measureWaiting(ctx, queueIds), measureHeartbeats(ctx, queueIds)])
}

export const busiestOf = ({ queues }: Depths): number[] =>
  [...queues]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_QUEUES)
    .map(([id]) => id)

/** Seconds that the one who has waited longest in each lane has waited, jobs and steps alike; null where nobody waits. */
export async function oldestOfLanes(ctx: Context, depths: Depths): Promise<Readonly<Record<Priority, number | null>>> {
  const oldest: Record<Priority, number | null> = { critical: null, high: null, normal: null }
  for (const { queue_id, waited } of await listOldest(ctx, busiestOf(depths))) {
    const lane = ctx.queues.of(queue_id)?.priority
    if (lane) oldest[lane] = Math.max(oldest[lane] ?? 0, Math.floor(waited))
  }
  return oldest
}

const listOldest = async (ctx: Context, queueIds: readonly number[]) =>
  queueIds.length === 0 ? [] : listFirst(ctx.db, rangesOf(ctx, queueIds))

/** One that was discarded leaves no delta: this is how the charts hear of it. */
function showDeadLetters({ metrics, series }: Context, dead: number): void {
  metrics.deadLetters.set(dead)
  series.sawDeadLetters(dead)
}

function showGates({ metrics }: Context, { lanes, total }: Depths): void {
  for (const lane of LANES) metrics.queueDepth.set({ priority: lane }, lanes[lane].depth)
  for (const [priority, gate] of [...Object.entries(lanes), ["total", total] as const]) {
    metrics.queueHighWatermark.set({ priority }, gate.high)
    metrics.queueLowWatermark.set({ priority }, gate.low)
    metrics.backpressureActive.set({ priority }, gate.shut ? 1 : 0)
  }
}

/** Steps that are ready. Runs that sleep or wait for a word are live, but they are not in a queue. */
async function measureSteps(ctx: Context, queueIds: readonly number[]): Promise<void> {
  const ofSteps = rangesOf(
    ctx,
    queueIds.filter((id) => kindOf(ctx, id) === "step"),
  )
  const queued = ofSteps.queueIds.length === 0 ? 0 : await countReady(ctx.db, ofSteps, COUNTED)
  ctx.metrics.queuedSteps.set(queued)
  // Runs that wake from sleep make a backlog without a delta: the leader would not look.
  if (queued > ctx.settings.alertQueuedSteps) ctx.nudge("meter", 0)
}

async function measureWaiting(ctx: Context, queueIds: readonly number[]): Promise<void> {
  const longest = new Map<string, number>()
  for (const { queue_id, waited } of await listOldest(ctx, queueIds)) {
    const place = `${ctx.queues.of(queue_id)?.priority} ${kindOf(ctx, queue_id)}`
    longest.set(place, Math.max(waited, longest.get(place) ?? 0))
  }
  for (const priority of LANES)
    for (const kind of ["job", "step"] as const)
      ctx.metrics.oldestWaiting.set({ priority, kind }, longest.get(`${priority} ${kind}`) ?? 0)
}

async function measureHeartbeats(ctx: Context, queueIds: readonly number[]): Promise<void> {
  const none = { seconds: 0, leases: 0 }
  const age = queueIds.length === 0 ? none : await measureLeases(ctx.db, ctx.settings.leaseDefaultMs, MOST_LEASES)
  ctx.metrics.heartbeatAge.set(age.seconds)
  ctx.metrics.heartbeatAgeLeases.set(age.leases)
}

const kindOf = ({ queues }: Context, queueId: number): "job" | "step" | undefined => {
  const queue = queues.of(queueId)
  return queue && (queue.definitionId === "" ? "job" : "step")
}
