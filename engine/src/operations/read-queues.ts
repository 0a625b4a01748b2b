// The queue as an operator watches it: how deep it is, which gates are shut, and who works.
import { type GateName, turnGate } from "../model/gate.ts"
import { countDeadLetters } from "../store/dead-letters.ts"
import { listWorkers as listRows } from "../store/workers.ts"
import { listJobTypes } from "./change-job-types.ts"
import type { Context } from "./context.ts"
import { isoTime } from "./instance-view.ts"
import { type Depth, readDepths } from "./read-depths.ts"

export interface QueueView {
  readonly gates: Readonly<Record<GateName, Depth>>
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
}

/** An index is read to count them. */
const DEAD_LETTERS_COUNTED_TO = 10_000

export async function readQueues(ctx: Context): Promise<QueueView> {
  const [{ lanes, total }, dead] = await Promise.all([
    readDepths(ctx),
    countDeadLetters(ctx.db, DEAD_LETTERS_COUNTED_TO + 1),
  ])
  const { critical, high, normal } = lanes
  return {
    gates: { critical: asOfNow(critical), high: asOfNow(high), normal: asOfNow(normal), total: asOfNow(total) },
    deadLetters: Math.min(dead, DEAD_LETTERS_COUNTED_TO),
    deadLettersAreExact: dead <= DEAD_LETTERS_COUNTED_TO,
  }
}

/** As the next job would find it: the row says how the gate was turned last, and the depth has changed since. */
const asOfNow = (gate: Depth): Depth => ({ ...gate, shut: turnGate(gate.shut, gate.depth, gate) })

interface WorkerView {
  readonly workerId: string
  readonly inFlight: number
  readonly jobTypes: readonly string[]
  /** When it claimed the oldest job it has. */
  readonly since?: string
  /** Its last claim or heartbeat. */
  readonly lastSeenAt?: string
}

const LEASES_READ = 10_000

/** Workers are known by their leases: one that has nothing to do is seen only in when its job types were polled last. */
export async function readWorkers(ctx: Context) {
  const [rows, types] = await Promise.all([listRows(ctx.db, LEASES_READ), listJobTypes(ctx)])
  const items = rows.map(
    ({ worker_id: workerId, in_flight: inFlight, job_types: jobTypes, since, seen_at }): WorkerView => ({
      workerId,
      inFlight,
      jobTypes,
      ...(since === null ? {} : { since: isoTime(since) }),
      ...(seen_at === null ? {} : { lastSeenAt: isoTime(seen_at) }),
    }),
  )
  const polled = types.flatMap(({ name, lastPolledAt }) => (lastPolledAt ? [{ jobType: name, lastPolledAt }] : []))
  return { items, polled }
}
