// The singleton loops: what each does when it is due, and how the pulse knows that it is. Only a leader runs them.

import { LimitRound } from "../operations/flow/fill-limits.ts"
import { releaseJobs } from "../operations/flow/release-jobs.ts"
import type { Guard } from "../operations/instances/advance.ts"
import { runBulk } from "../operations/instances/bulk-instances.ts"
import { runRequests } from "../operations/instances/run-requests.ts"
import { fireTimers } from "../operations/instances/run-timers.ts"
import { startChains } from "../operations/instances/start-chains.ts"
import type { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import type { Context, LoopName } from "../operations/kernel/context.ts"
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
  readonly tick: (guard: Guard) => Promise<boolean>
}

const HOUSEKEEPING_EVERY_MS = 3_600_000

export function createLoops(ctx: Context, sweeper: LeaseSweeper): Loop[] {
  return [
    { name: "reaper", dueAt: (due) => due.leaseAt ?? NEVER, tick: (guard) => sweeper.sweep(guard) },
    { name: "timers", dueAt: (due) => due.timerAt ?? NEVER, tick: async (guard) => (await fireTimers(ctx, guard)) > 0 },
    {
      name: "releaser",
      dueAt: (due) => due.heldAt ?? NEVER,
      tick: async (guard) => (await releaseJobs(ctx, guard)) > 0,
    },
    {
      name: "chains",
      dueAt: (due) => due.chainAt ?? NEVER,
      tick: async (guard) => (await startChains(ctx, guard)) > 0,
    },
    {
      name: "requests",
      dueAt: (due) => due.requestAt ?? NEVER,
      tick: async (guard) => (await runRequests(ctx, guard)) > 0,
    },
    {
      name: "schedules",
      dueAt: (due) => due.scheduleAt ?? NEVER,
      tick: async (guard) => (await fireSchedules(ctx, guard)) > 0,
    },
    {
      name: "bulk",
      dueAt: (due) => (due.bulkWaits ? due.now : NEVER),
      tick: async (guard) => (await runBulk(ctx, guard)) > 0,
    },
    limits(ctx),
    meter(ctx),
    housekeeper(ctx),
  ]
}

const LIMITS_EVERY_MS = 5_000

/** Whoever frees room fills it; the round finds what a crash has left open. */
function limits(ctx: Context): Loop {
  const round = new LimitRound(ctx)
  let nextAt = 0
  return {
    name: "limits",
    dueAt: (due) => (due.hasLimits ? nextAt : NEVER),
    tick: async (guard) => {
      nextAt = ctx.clock.nowMs() + LIMITS_EVERY_MS
      return round.next(guard)
    },
  }
}

function meter(ctx: Context): Loop {
  const meter = new Meter(ctx)
  return {
    name: "meter",
    dueAt: (due) => (due.depthsWait || meter.isOwed ? due.now : NEVER),
    tick: (guard) => meter.tick(guard),
  }
}

function housekeeper(ctx: Context): Loop {
  let nextAt = 0
  return {
    name: "housekeeper",
    dueAt: () => nextAt,
    tick: async () => {
      nextAt = ctx.clock.nowMs() + HOUSEKEEPING_EVERY_MS
      await keepHouse(ctx)
      return false
    },
  }
}
