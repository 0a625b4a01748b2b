// The downstreams as the overview shows them: what each may take, takes, and has before it.

import type { FlowPart } from "../../store/observability/counter-series.ts"
import { RATE_SECONDS, type Standing } from "../../store/observability/overview.ts"
import { isoTime } from "../../support/iso-time.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import type { Depths } from "../flow/read-depths.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface DownstreamPace {
  readonly name: string
  readonly perSecond?: number
  readonly concurrency?: number
  readonly inFlight: number
  /** Jobs for it that no worker has. */
  readonly waiting: number
  /** Jobs for it that workers were given. */
  readonly startedPerSecond: number
  /** The downstream asked for no more requests until then. */
  readonly pushedBackUntil?: string
  readonly paused: boolean
}

const MOST_DOWNSTREAMS = 50

/** Per second, of one part of the flow. */
export const rateIn =
  ({ flow }: Standing) =>
  (part: FlowPart, name: string): number =>
    (flow.find((count) => count.part === part && count.name === name)?.jobs ?? 0) / RATE_SECONDS

/** The downstreams that have limits, and those that jobs have named. */
export function downstreamsOf(kernel: Kernel, depths: Depths, standing: Standing): DownstreamPace[] {
  const live = liveByDownstream(kernel, depths)
  const named = queuesOf(kernel)
    .all.map(({ downstream }) => downstream)
    .filter((name) => name !== "")
  const names = [...new Set([...liveSettingsOf(kernel).downstreams.map(({ name }) => name), ...named])]
  return names
    .map((name) => paceOf(kernel, standing, { name, live: live.get(name) ?? 0 }))
    .sort(busiestFirst)
    .slice(0, MOST_DOWNSTREAMS)
}

const busiestFirst = (a: DownstreamPace, b: DownstreamPace): number =>
  b.inFlight - a.inFlight ||
  b.startedPerSecond - a.startedPerSecond ||
  b.waiting - a.waiting ||
  (a.name < b.name ? -1 : 1)

interface Named {
  readonly name: string
  /** How many jobs it has, with workers and without. */
  readonly live: number
}

function paceOf(kernel: Kernel, standing: Standing, { name, live }: Named): DownstreamPace {
  const settings = liveSettingsOf(kernel)
  const limits = settings.downstream(name)
  const until = standing.closedUntil[name]
  const inFlight = standing.inFlight[name] ?? 0
  return {
    name,
    ...(limits?.perSecond == null ? {} : { perSecond: limits.perSecond }),
    ...(limits?.concurrency == null ? {} : { concurrency: limits.concurrency }),
    inFlight,
    waiting: Math.max(0, live - inFlight),
    startedPerSecond: rateIn(standing)("started", name),
    ...(until === undefined ? {} : { pushedBackUntil: isoTime(until) }),
    paused: settings.pauseOf("downstream", name) !== undefined,
  }
}

/** By downstream: the live jobs and steps of its queues. */
function liveByDownstream(kernel: Kernel, { queues }: Depths): ReadonlyMap<string, number> {
  const live = new Map<string, number>()
  for (const [id, depth] of queues) {
    const name = queuesOf(kernel).of(id)?.downstream ?? ""
    if (name !== "") live.set(name, (live.get(name) ?? 0) + depth)
  }
  return live
}
