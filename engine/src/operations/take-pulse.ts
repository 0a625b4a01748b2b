// The pulse of one process: renews its leaderships, learns what is due, and wakes whoever waits for work that came from elsewhere.
import { beat, expectTerm, resign as resignAll } from "../store/pulse.ts"
import type { Guard } from "./advance.ts"
import { type Context, LOOPS, type LoopName } from "./context.ts"

export { LOST_TERM } from "../store/pulse.ts"

/** Database times of the next work of each kind. */
export interface Due {
  readonly now: number
  readonly timerAt: number | null
  readonly leaseAt: number | null
  readonly heldAt: number | null
  readonly chainAt: number | null
  readonly requestAt: number | null
  readonly bulkWaits: boolean
}

export interface Pulse {
  readonly due: Due
  readonly terms: ReadonlyMap<LoopName, number>
  /** Other processes that are alive. */
  readonly others: number
}

/** A leader that misses this many milliseconds of pulses may be replaced. */
export const TERM_MS = 5_000

export async function takePulse(ctx: Context, processId: string, sweptUntilMs: number): Promise<Pulse> {
  const waitingQueues = ctx.queues.idsOfTypes(ctx.wakeups.waitingFor())
  const row = await beat(ctx.db, {
    processId,
    loops: LOOPS,
    termMs: TERM_MS,
    polledQueues: ctx.queues.takePolled(),
    waitingQueues,
    after: waitingQueues.map((id) => ctx.lowWater.peek(id)),
    sweptUntilMs,
    lists: ctx.lists.toJson(),
  })
  ctx.clock.observe(row.now)
  const fresh = row.queues === ctx.queues.size ? [] : await ctx.queues.refresh()
  wakeFor(ctx, row.ready_queues, fresh)
  return {
    terms: new Map(Object.entries(JSON.parse(row.terms) as Record<LoopName, number>) as [LoopName, number][]),
    others: row.others,
    due: {
      now: row.now,
      timerAt: row.timer_due_at,
      leaseAt: row.lease_due_at,
      heldAt: row.held_due_at,
      chainAt: row.chain_due_at,
      requestAt: row.request_due_at,
      bulkWaits: row.bulk_waits,
    },
  }
}

function wakeFor(ctx: Context, readyQueues: readonly number[], fresh: readonly string[]): void {
  const jobTypes = new Set(fresh)
  for (const id of readyQueues) {
    const queue = ctx.queues.of(id)
    if (queue) jobTypes.add(queue.jobType)
  }
  // Every process has a pulse of its own: no need to tell the others.
  if (jobTypes.size > 0) ctx.wakeups.wakeFromElsewhere(jobTypes)
}

/** Every write of a leader proves its term first. */
export const termGuard =
  (loop: LoopName, term: number): Guard =>
  (tx) =>
    expectTerm(tx, loop, term)

export const resign = (ctx: Context, processId: string): Promise<void> => resignAll(ctx.db, processId)
