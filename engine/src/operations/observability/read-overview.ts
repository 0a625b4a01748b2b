// The engine at a glance, as the dashboard shows it: few statements, each bounded, however much there is.

import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import { DOORS, type Door } from "../../model/flow/doors.ts"
import type { Counts } from "../../store/observability/counter-series.ts"
import { RATE_SECONDS, readStanding } from "../../store/observability/overview.ts"
import { isoTime } from "../../support/iso-time.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import { oldestOfPriorities } from "../flow/measure-queues.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { type Depth, type Depths, readDepths } from "../flow/read-depths.ts"
import { gatesOf } from "../flow/read-queues.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { type DownstreamPace, downstreamsOf, rateIn } from "./downstream-paces.ts"
import { ASKING_MS } from "./worker-sightings.ts"

interface GateView {
  readonly depth: number
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly shut: boolean
}

interface PriorityView extends GateView {
  readonly name: Priority
  readonly paused: boolean
  readonly weight: number
  /** Jobs and steps that workers were given. */
  readonly claimedPerSecond: number
  /** Jobs of workflow steps, which no gate counts. */
  readonly steps: number
  readonly oldestWaitingSeconds: number | null
}

interface DoorView {
  readonly door: Door
  /** Jobs and instances. */
  readonly acceptedPerSecond: number
  /** Jobs that a shut gate has refused. */
  readonly refusedPerSecond: number
}

export interface Overview {
  readonly at: string
  readonly intake: readonly DoorView[]
  /** Per second, over the last four that are over, of all processes. */
  readonly rates: Counts
  readonly lanes: readonly PriorityView[]
  readonly total: GateView
  readonly leases: number
  readonly leasesAreExact: boolean
  readonly workers: number
  readonly busyWorkers: number
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
  readonly openUserTasks: number
  readonly openUserTasksAreExact: boolean
  readonly overdueUserTasks: number
  /** The busiest first. */
  readonly downstreams: readonly DownstreamPace[]
}

const COUNTED_TO = 10_000

export async function readOverview(kernel: Kernel): Promise<Overview> {
  const [depths, standing] = await Promise.all([readDepths(kernel), readStanding(kernel.db, COUNTED_TO + 1, ASKING_MS)])
  const { total, ...priorities } = gatesOf(depths)
  const oldest = await oldestOfPriorities(kernel, depths)
  const { leases, deadLetters, openUserTasks, overdueUserTasks } = standing
  const rateOf = rateIn(standing)
  const steps = stepsOf(kernel, depths)
  return {
    at: isoTime(standing.nowMs),
    intake: DOORS.map((door) => ({
      door,
      acceptedPerSecond: rateOf("accepted", door),
      refusedPerSecond: rateOf("refused", door),
    })),
    rates: perSecond(standing.counts),
    lanes: PRIORITIES.map((name) => ({
      name,
      ...showGate(priorities[name]),
      paused: liveSettingsOf(kernel).pauseOf("queue", name) !== undefined,
      weight: liveSettingsOf(kernel).weights[name],
      claimedPerSecond: rateOf("claimed", name),
      steps: steps[name],
      oldestWaitingSeconds: oldest[name],
    })),
    total: showGate(total),
    leases: Math.min(leases, COUNTED_TO),
    leasesAreExact: leases <= COUNTED_TO,
    workers: standing.workers,
    busyWorkers: standing.busyWorkers,
    deadLetters: Math.min(deadLetters, COUNTED_TO),
    deadLettersAreExact: deadLetters <= COUNTED_TO,
    openUserTasks: Math.min(openUserTasks, COUNTED_TO),
    openUserTasksAreExact: openUserTasks <= COUNTED_TO,
    overdueUserTasks: Math.min(overdueUserTasks, COUNTED_TO),
    downstreams: downstreamsOf(kernel, depths, standing),
  }
}

const perSecond = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / RATE_SECONDS])) as unknown as Counts

/** By priority: the depths of the gates are of standalone jobs alone. */
function stepsOf(kernel: Kernel, { queues }: Depths): Readonly<Record<Priority, number>> {
  const steps: Record<Priority, number> = { critical: 0, high: 0, normal: 0 }
  for (const [id, live] of queues) {
    const queue = queuesOf(kernel).of(id)
    if (queue && queue.definitionId !== "") steps[queue.priority] += live
  }
  return steps
}

const showGate = ({ depth, high, low, shut }: Depth): GateView => ({
  depth,
  highWatermark: high,
  lowWatermark: low,
  shut,
})
