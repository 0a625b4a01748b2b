// The singleton loops: what each does when it is due, and how the pulse knows that it is. Only a leader runs them.

import { relaysOf } from "../operations/events/relays.ts"
import { LimitRound } from "../operations/flow/fill-limits.ts"
import { releaseJobs } from "../operations/flow/release-jobs.ts"
import { runBulk } from "../operations/instances/bulk-instances.ts"
import { runRequests } from "../operations/instances/run-requests.ts"
import { fireTimers } from "../operations/instances/run-timers.ts"
import { startChains } from "../operations/instances/start-chains.ts"
import { jobRelayOf } from "../operations/jobs/dispatch/relay.ts"
import { takeBackDispatches } from "../operations/jobs/dispatch/take-back-dispatches.ts"
import { watchConsumers } from "../operations/jobs/dispatch/watch-consumers.ts"
import type { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { DispatchLoop, LoopName, ProveTerm, SinkLoop } from "../operations/kernel/loops.ts"
import { Meter } from "../operations/observability/run-meter.ts"
import { fireSchedules } from "../operations/schedules/fire-schedules.ts"
import { keepHouse } from "../operations/upkeep/keep-house.ts"
import type { Due } from "../operations/upkeep/take-pulse.ts"
import { NEVER } from "./loop-runner.ts"

export interface Loop {
  readonly name: LoopName
  /** Database time of its next piece of work. */
  readonly dueAt: (due: Due) => number
  /** Does a bounded piece; true when there may be more. */
  readonly tick: (proveTerm: ProveTerm) => Promise<boolean>
}

const HOUSEKEEPING_EVERY_MS = 3_600_000

export function createLoops(kernel: Kernel, sweeper: LeaseSweeper): Loop[] {
  return [
    { name: "reaper", dueAt: (due) => due.leaseAt ?? NEVER, tick: (proveTerm) => sweeper.sweep(proveTerm) },
    {
      name: "timers",
      dueAt: (due) => due.timerAt ?? NEVER,
      tick: async (proveTerm) => (await fireTimers(kernel, proveTerm)) > 0,
    },
    {
      name: "releaser",
      dueAt: (due) => due.heldAt ?? NEVER,
      tick: async (proveTerm) => (await releaseJobs(kernel, proveTerm)) > 0,
    },
    {
      name: "chains",
      dueAt: (due) => due.chainAt ?? NEVER,
      tick: async (proveTerm) => (await startChains(kernel, proveTerm)) > 0,
    },
    {
      name: "requests",
      dueAt: (due) => due.requestAt ?? NEVER,
      tick: async (proveTerm) => (await runRequests(kernel, proveTerm)) > 0,
    },
    {
      name: "schedules",
      dueAt: (due) => due.scheduleAt ?? NEVER,
      tick: async (proveTerm) => (await fireSchedules(kernel, proveTerm)) > 0,
    },
    {
      name: "bulk",
      dueAt: (due) => (due.bulkWaits ? due.now : NEVER),
      tick: async (proveTerm) => (await runBulk(kernel, proveTerm)) > 0,
    },
    limits(kernel),
    meter(kernel),
    housekeeper(kernel),
  ]
}

/** One for each sink that this process can send to; they come and go while it runs. */
export const sinkLoop = (kernel: Kernel, name: SinkLoop): Loop => ({
  name,
  dueAt: (due) => (due.sinks.includes(name.slice("sink:".length)) ? due.now : NEVER),
  tick: (proveTerm) => relaysOf(kernel).tick(name, proveTerm),
})

/** The loops of a process that pushes jobs through Kafka. They run at each beat; work that this process makes ready wakes the dispatcher. */
export const dispatchLoop = (kernel: Kernel, name: DispatchLoop): Loop => ({
  name,
  dueAt: (due) => (name === "dispatch-return" && !due.dispatchesLeft ? NEVER : due.now),
  tick: (proveTerm) => DISPATCH_TICKS[name](kernel, proveTerm),
})

const DISPATCH_TICKS: Readonly<Record<DispatchLoop, (kernel: Kernel, proveTerm: ProveTerm) => Promise<boolean>>> = {
  dispatcher: (kernel, proveTerm) => jobRelayOf(kernel).round(proveTerm),
  "dispatch-watch": watchConsumers,
  "dispatch-return": takeBackDispatches,
}

const LIMITS_EVERY_MS = 5_000

/** The process that frees room fills it; this round finds what a crash has left open. */
function limits(kernel: Kernel): Loop {
  const round = new LimitRound(kernel)
  let nextAt = 0
  return {
    name: "limits",
    dueAt: (due) => (due.hasLimits ? nextAt : NEVER),
    tick: async (proveTerm) => {
      nextAt = kernel.clock.nowMs() + LIMITS_EVERY_MS
      return round.next(proveTerm)
    },
  }
}

function meter(kernel: Kernel): Loop {
  const meter = new Meter(kernel)
  return {
    name: "meter",
    dueAt: (due) => (due.depthsWait || meter.isOwed ? due.now : NEVER),
    tick: (proveTerm) => meter.tick(proveTerm),
  }
}

function housekeeper(kernel: Kernel): Loop {
  let nextAt = 0
  return {
    name: "housekeeper",
    dueAt: () => nextAt,
    tick: async () => {
      nextAt = kernel.clock.nowMs() + HOUSEKEEPING_EVERY_MS
      await keepHouse(kernel)
      return false
    },
  }
}
