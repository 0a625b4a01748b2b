// The pulse of one process: renews its leaderships, learns what is due, and wakes claims that wait for work of other processes.

import type { GateName } from "../../model/flow/gate.ts"
import { noteSeen } from "../../store/flow/live-settings.ts"
import { turnGates } from "../../store/jobs/enqueue.ts"
import { unpackEnded } from "../../store/jobs/packs.ts"
import { beat, expectTerm, resign as resignAll } from "../../store/upkeep/pulse.ts"
import { relaysOf } from "../events/relays.ts"
import { gatesOf } from "../flow/gates.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import { openQueuesOf } from "../flow/open-queues.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { hearOfQueues } from "../jobs/claim/hear-of-queues.ts"
import { lowWaterOf } from "../jobs/claim/low-water.ts"
import { packingOf } from "../jobs/claim/packing.ts"
import { wakeupsOf } from "../jobs/claim/wakeups.ts"
import { dispatchingOf } from "../jobs/dispatch/dispatching.ts"
import { downtimeOf } from "../jobs/end/downtime.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { LOOPS, type LoopName } from "../kernel/loops.ts"
import { seriesOf } from "../observability/counter-series.ts"
import { listVersionsOf } from "../runs/list-versions.ts"

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
  /** Sinks of this process that have events to send. */
  readonly sinks: readonly string[]
  /** A relay has left dispatches, and this process would take them back. */
  readonly dispatchesLeft: boolean
  /** Deltas to fold, a gate that may open, or an alert that has not been sent. */
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
  kernel: Kernel,
  processId: string,
  sweptUntilMs: number,
  loops: readonly LoopName[] = LOOPS,
): Promise<Pulse> {
  // Includes queues that busy workers found empty when they last looked. Otherwise jobs from other processes would wait there.
  const polledQueues = queuesOf(kernel).takePolled()
  const waitingQueues = waitedFor(kernel, polledQueues)
  const row = await beat(kernel.db, {
    processId,
    loops,
    termMs: TERM_MS,
    polledQueues,
    waitingQueues,
    after: waitingQueues.map((id) => lowWaterOf(kernel).peek(id)),
    sweptUntilMs,
    sinks: relaysOf(kernel).names,
    takesBack: dispatchingOf(kernel).takesBack,
    lists: listVersionsOf(kernel).toJson(),
    liveVersion: liveSettingsOf(kernel).version,
  })
  kernel.clock.observe(row.now)
  packingOf(kernel).heard(row.all_know_packs)
  // A process of a version before may lead the sweep: it sees rows only.
  if (!row.all_know_packs) await unpackEnded(kernel.db, { any: true, limit: 100 })
  downtimeOf(kernel).observe(row.now, row.last_seen_at)
  // A claim leaves no delta: while jobs are leased, how many may change from moment to moment.
  if (row.lease_due_at !== null) seriesOf(kernel).stir()
  // While a gate is shut no enqueue asks for it, and the meter may be without a leader: any process may find that there is room again.
  const shut = row.shut_gates.length > 0 ? await turnGates(kernel.db, kernel.settings) : []
  gatesOf(kernel).heardAll(shut as GateName[])
  if (row.live_version !== liveSettingsOf(kernel).version) await readLive(kernel)
  await hearOfQueues(kernel, row.queues)
  if (row.ready_queues.length > 0) wakeupsOf(kernel).wakeHere(queuesOf(kernel).known(row.ready_queues))
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
      sinks: row.due_sinks,
      dispatchesLeft: row.dispatches_left,
      depthsWait: row.depths_wait || row.shut_gates.length > 0,
    },
  }
}

async function readLive(kernel: Kernel): Promise<void> {
  await liveSettingsOf(kernel).refresh()
  openQueuesOf(kernel).changed()
  await noteSeen(kernel.db, kernel.processId, liveSettingsOf(kernel).version)
}

function waitedFor(kernel: Kernel, polledQueues: readonly number[]): number[] {
  const polled = queuesOf(kernel)
    .known(polledQueues)
    .filter((queue) => wakeupsOf(kernel).isQuiet(queue))
  const waited = queuesOf(kernel).ofTypes(wakeupsOf(kernel).waitingFor())
  return [...new Set([...waited, ...polled])].flatMap((queue) => (openQueuesOf(kernel).isOpen(queue) ? [queue.id] : []))
}

/** Every write of a leader proves its term first. */
export const termProof =
  (loop: LoopName, term: number): ProveTerm =>
  (tx) =>
    expectTerm(tx, loop, term)

export const resign = (kernel: Kernel, processId: string): Promise<void> => resignAll(kernel.db, processId)
