// The pulse of one process: renews its leaderships, learns what is due, and wakes whoever waits for work that came from elsewhere.
import type { GateName } from "../../model/flow/gate.ts"
import { noteSeen } from "../../store/flow/live-settings.ts"
import { turnGates } from "../../store/jobs/enqueue.ts"
import { beat, expectTerm, resign as resignAll } from "../../store/upkeep/pulse.ts"
import type { Guard } from "../instances/advance.ts"
import { type Context, LOOPS, type LoopName } from "../kernel/context.ts"

export { LOST_TERM } from "../../store/upkeep/pulse.ts"

/** Database times of the next work of each kind. */
export interface Due {
  readonly now: number
  readonly timerAt: number | null
  readonly leaseAt: number | null
  readonly heldAt: number | null
  readonly chainAt: number | null
  readonly requestAt: number | null
  readonly scheduleAt: number | null
  readonly bulkWaits: boolean
  /** There are limit keys, which a leader looks after. */
  readonly hasLimits: boolean
  /** Deltas to fold, a gate that may open, or an alert that nobody was told of. */
  readonly depthsWait: boolean
}

export interface Pulse {
  readonly due: Due
  readonly terms: ReadonlyMap<LoopName, number>
  /** Other processes that are alive. */
  readonly others: number
}

/** A leader that misses this many milliseconds of pulses may be replaced. */
export const TERM_MS = 5_000

/** `loops`: those that this process would lead. */
export async function takePulse(
  ctx: Context,
  processId: string,
  sweptUntilMs: number,
  loops: readonly LoopName[] = LOOPS,
): Promise<Pulse> {
  // Busy workers are told of queues that were empty when they last looked, or what comes there from elsewhere would wait for the rest.
  const polledQueues = ctx.queues.takePolled()
  const waitingQueues = waitedFor(ctx, polledQueues)
  const row = await beat(ctx.db, {
    processId,
    loops,
    termMs: TERM_MS,
    polledQueues,
    waitingQueues,
    after: waitingQueues.map((id) => ctx.lowWater.peek(id)),
    sweptUntilMs,
    lists: ctx.lists.toJson(),
    liveVersion: ctx.live.version,
  })
  ctx.clock.observe(row.now)
  ctx.downtime.observe(row.now, row.last_seen_at)
  // A claim leaves no delta: while jobs are leased, how many may change from moment to moment.
  if (row.lease_due_at !== null) ctx.series.stir()
  // While one is shut nobody asks for admission, and the meter may be without a leader: any process may find that there is room again.
  const shut = row.shut_gates.length > 0 ? await turnGates(ctx.db, ctx.settings) : []
  ctx.gates.heardAll(shut as GateName[])
  if (row.live_version !== ctx.live.version) await readLive(ctx)
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
      scheduleAt: row.schedule_due_at,
      bulkWaits: row.bulk_waits,
      hasLimits: row.has_limits,
      depthsWait: row.depths_wait || row.shut_gates.length > 0,
    },
  }
}

async function readLive(ctx: Context): Promise<void> {
  await ctx.live.refresh()
  ctx.dispatch.changed()
  await noteSeen(ctx.db, ctx.processId, ctx.live.version)
}

function waitedFor(ctx: Context, polledQueues: readonly number[]): number[] {
  const polled = ctx.queues.known(polledQueues).filter((queue) => ctx.wakeups.isQuiet(queue))
  const waited = ctx.queues.ofTypes(ctx.wakeups.waitingFor())
  return [...new Set([...waited, ...polled])].flatMap((queue) => (ctx.dispatch.isOpen(queue) ? [queue.id] : []))
}

/** Every process has a pulse of its own: no need to tell the others. */
function wakeFor(ctx: Context, readyQueues: readonly number[], fresh: readonly string[]): void {
  if (fresh.length > 0) ctx.wakeups.wakeFromElsewhere(new Set(fresh))
  if (readyQueues.length > 0) ctx.wakeups.wakeHere(ctx.queues.known(readyQueues))
}

/** Every write of a leader proves its term first. */
export const termGuard =
  (loop: LoopName, term: number): Guard =>
  (tx) =>
    expectTerm(tx, loop, term)

export const resign = (ctx: Context, processId: string): Promise<void> => resignAll(ctx.db, processId)
