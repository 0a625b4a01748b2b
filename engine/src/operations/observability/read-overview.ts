// The engine at a glance, as the dashboard shows it: few statements, each bounded, however much there is.

import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import type { Counts } from "../../store/observability/counter-series.ts"
import { RATE_SECONDS, readStanding, type Standing } from "../../store/observability/overview.ts"
import { isoTime } from "../../support/iso-time.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import { oldestOfPriorities } from "../flow/measure-queues.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { type Depth, readDepths } from "../flow/read-depths.ts"
import { gatesOf } from "../flow/read-queues.ts"
import type { Kernel } from "../kernel/kernel.ts"
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
  readonly oldestWaitingSeconds: number | null
}

interface DownstreamPace {
  readonly name: string
  readonly perSecond?: number
  readonly concurrency?: number
  readonly inFlight: number
  /** Of one with limits: jobs that were handed out. */
  readonly startedPerSecond?: number
  /** It asked to be left alone until then. */
  readonly pushedBackUntil?: string
  readonly paused: boolean
}

export interface Overview {
  readonly at: string
  /** Per second, over the last four that are over, of all processes. */
  readonly rates: Counts
  readonly lanes: readonly PriorityView[]
  readonly total: GateView
  readonly leases: number
  readonly leasesAreExact: boolean
  readonly workers: number
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
  readonly openUserTasks: number
  readonly openUserTasksAreExact: boolean
  /** The busiest first. */
  readonly downstreams: readonly DownstreamPace[]
}

const COUNTED_TO = 10_000
const MOST_DOWNSTREAMS = 50

export async function readOverview(kernel: Kernel): Promise<Overview> {
  const [depths, standing] = await Promise.all([readDepths(kernel), readStanding(kernel.db, COUNTED_TO + 1, ASKING_MS)])
  const { total, ...priorities } = gatesOf(depths)
  const oldest = await oldestOfPriorities(kernel, depths)
  const { leases, deadLetters, openUserTasks } = standing
  return {
    at: isoTime(standing.nowMs),
    rates: perSecond(standing.counts),
    lanes: PRIORITIES.map((name) => ({
      name,
      ...showGate(priorities[name]),
      paused: liveSettingsOf(kernel).pauseOf("queue", name) !== undefined,
      weight: liveSettingsOf(kernel).weights[name],
      oldestWaitingSeconds: oldest[name],
    })),
    total: showGate(total),
    leases: Math.min(leases, COUNTED_TO),
    leasesAreExact: leases <= COUNTED_TO,
    workers: standing.workers,
    deadLetters: Math.min(deadLetters, COUNTED_TO),
    deadLettersAreExact: deadLetters <= COUNTED_TO,
    openUserTasks: Math.min(openUserTasks, COUNTED_TO),
    openUserTasksAreExact: openUserTasks <= COUNTED_TO,
    downstreams: downstreamsOf(kernel, standing),
  }
}

const perSecond = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / RATE_SECONDS])) as unknown as Counts

const showGate = ({ depth, high, low, shut }: Depth): GateView => ({
  depth,
  highWatermark: high,
  lowWatermark: low,
  shut,
})

/** Those with limits, and those that jobs have named. */
function downstreamsOf(kernel: Kernel, standing: Standing): DownstreamPace[] {
  const named = queuesOf(kernel)
    .all.map(({ downstream }) => downstream)
    .filter((name) => name !== "")
  const names = [...new Set([...liveSettingsOf(kernel).downstreams.map(({ name }) => name), ...named])]
  return names
    .map((name) => paceOf(kernel, standing, name))
    .sort(
      (a, b) =>
        b.inFlight - a.inFlight || (b.startedPerSecond ?? 0) - (a.startedPerSecond ?? 0) || (a.name < b.name ? -1 : 1),
    )
    .slice(0, MOST_DOWNSTREAMS)
}

function paceOf(kernel: Kernel, { inFlight, handedOut, closedUntil }: Standing, name: string): DownstreamPace {
  const live = liveSettingsOf(kernel)
  const limits = live.downstream(name)
  const until = closedUntil[name]
  return {
    name,
    ...(limits?.perSecond == null ? {} : { perSecond: limits.perSecond }),
    ...(limits?.concurrency == null ? {} : { concurrency: limits.concurrency }),
    inFlight: inFlight[name] ?? 0,
    ...(limits ? { startedPerSecond: (handedOut[name] ?? 0) / RATE_SECONDS } : {}),
    ...(until === undefined ? {} : { pushedBackUntil: isoTime(until) }),
    paused: live.pauseOf("downstream", name) !== undefined,
  }
}
