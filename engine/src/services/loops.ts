// The singleton loops: what each does when it is due, and how the pulse knows that it is. Only a leader runs them.

import type { Guard } from "../operations/advance.ts"
import { runBulk } from "../operations/bulk-instances.ts"
import type { Context, LoopName } from "../operations/context.ts"
import { LimitRound } from "../operations/fill-limits.ts"
import { fireSchedules } from "../operations/fire-schedules.ts"
import { keepHouse } from "../operations/keep-house.ts"
import { releaseJobs } from "../operations/release-jobs.ts"
import { Meter } from "../operations/run-meter.ts"
import { runRequests } from "../operations/run-requests.ts"
import { fireTimers } from "../operations/run-timers.ts"
import { startChains } from "../operations/start-chains.ts"
import type { LeaseSweeper } from "../operations/sweep-leases.ts"
import type { Due } from "../operations/take-pulse.ts"
import { NEVER } from "./schedule.ts"

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
