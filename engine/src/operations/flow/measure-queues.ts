// Sets the gauges of the queues, every 15 s in every process: a scrape reads memory and asks the database nothing.

import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import { countDeadLetters } from "../../store/dead-letters/dead-letters.ts"
import { countReady, listFirst, measureLeases } from "../../store/flow/depths.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { seriesOf } from "../observability/counter-series.ts"
import { queuesOf } from "./queue-registry.ts"
import { type Depths, rangesOf, readDepths } from "./read-depths.ts"

/** Bounds of what one measurement reads. */
const MOST_QUEUES = 1_000
const MOST_LEASES = 1_000
const COUNTED = 100_000

export async function measureQueues(kernel: Kernel): Promise<void> {
  const [depths, dead] = await Promise.all([readDepths(kernel), countDeadLetters(kernel.db, COUNTED)])
  showDeadLetters(kernel, dead)
  showGates(kernel, depths)
  const queueIds = busiestOf(depths)
  await Promise.all([
    measureSteps(kernel, queueIds),
    measureWaiting(kernel, queueIds),
    measureHeartbeats(kernel, queueIds),
  ])
}

export const busiestOf = ({ queues }: Depths): number[] =>
  [...queues]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_QUEUES)
    .map(([id]) => id)

/** For each priority, how many seconds its oldest ready job or step has waited; null where none waits. */
export async function oldestOfPriorities(
  kernel: Kernel,
  depths: Depths,
): Promise<Readonly<Record<Priority, number | null>>> {
  const oldest: Record<Priority, number | null> = { critical: null, high: null, normal: null }
  for (const { queue_id, waited } of await listOldest(kernel, busiestOf(depths))) {
    const priority = queuesOf(kernel).of(queue_id)?.priority
    if (priority) oldest[priority] = Math.max(oldest[priority] ?? 0, Math.floor(waited))
  }
  return oldest
}

const listOldest = async (kernel: Kernel, queueIds: readonly number[]) =>
  queueIds.length === 0 ? [] : listFirst(kernel.db, rangesOf(kernel, queueIds))

/** One that was discarded leaves no delta: this is how the charts hear of it. */
function showDeadLetters(kernel: Kernel, dead: number): void {
  kernel.metrics.deadLetters.set(dead)
  seriesOf(kernel).sawDeadLetters(dead)
}

function showGates({ metrics }: Kernel, { priorities, total }: Depths): void {
  for (const priority of PRIORITIES) metrics.queueDepth.set({ priority: priority }, priorities[priority].depth)
  for (const [priority, gate] of [...Object.entries(priorities), ["total", total] as const]) {
    metrics.queueHighWatermark.set({ priority }, gate.high)
    metrics.queueLowWatermark.set({ priority }, gate.low)
    metrics.backpressureActive.set({ priority }, gate.shut ? 1 : 0)
  }
}

/** Steps that are ready. Runs that sleep or wait for a word are live, but they are not in a queue. */
async function measureSteps(kernel: Kernel, queueIds: readonly number[]): Promise<void> {
  const ofSteps = rangesOf(
    kernel,
    queueIds.filter((id) => kindOf(kernel, id) === "step"),
  )
  const queued = ofSteps.queueIds.length === 0 ? 0 : await countReady(kernel.db, ofSteps, COUNTED)
  kernel.metrics.queuedSteps.set(queued)
  // Runs that wake from sleep make a backlog without a delta: the leader would not look.
  if (queued > kernel.settings.alertQueuedSteps) kernel.nudge("meter", 0)
}

async function measureWaiting(kernel: Kernel, queueIds: readonly number[]): Promise<void> {
  const longest = new Map<string, number>()
  for (const { queue_id, waited } of await listOldest(kernel, queueIds)) {
    const place = `${queuesOf(kernel).of(queue_id)?.priority} ${kindOf(kernel, queue_id)}`
    longest.set(place, Math.max(waited, longest.get(place) ?? 0))
  }
  for (const priority of PRIORITIES)
    for (const kind of ["job", "step"] as const)
      kernel.metrics.oldestWaiting.set({ priority, kind }, longest.get(`${priority} ${kind}`) ?? 0)
}

async function measureHeartbeats(kernel: Kernel, queueIds: readonly number[]): Promise<void> {
  const none = { seconds: 0, leases: 0 }
  const age = queueIds.length === 0 ? none : await measureLeases(kernel.db, kernel.settings.leaseDefaultMs, MOST_LEASES)
  kernel.metrics.heartbeatAge.set(age.seconds)
  kernel.metrics.heartbeatAgeLeases.set(age.leases)
}

const kindOf = (kernel: Kernel, queueId: number): "job" | "step" | undefined => {
  const queue = queuesOf(kernel).of(queueId)
  return queue && (queue.definitionId === "" ? "job" : "step")
}
