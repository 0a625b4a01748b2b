// The queue as an operator watches it: how deep it is, which gates are shut, and which workers are active.

import type { Priority } from "../../model/definitions/definition.ts"
import { type GateName, turnGate } from "../../model/flow/gate.ts"
import { countDeadLetters } from "../../store/dead-letters/dead-letters.ts"
import { countByQueue, listWorkers as listRows } from "../../store/observability/workers.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { ASKING_MS } from "../observability/worker-sightings.ts"
import { type JobTypeView, listJobTypes } from "./change-job-types.ts"
import { busiestOf, oldestOfPriorities } from "./measure-queues.ts"
import { queuesOf } from "./queue-registry.ts"
import { type Depth, type Depths, rangesOf, readDepths } from "./read-depths.ts"

export interface QueueView {
  /** For each priority, how many seconds its oldest ready job has waited; null where none waits. */
  readonly oldest: Readonly<Record<Priority, number | null>>
  readonly gates: Readonly<Record<GateName, Depth>>
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
}

/** An index is read to count them. */
const DEAD_LETTERS_COUNTED_TO = 10_000

export async function readQueues(kernel: Kernel): Promise<QueueView> {
  const [depths, dead] = await Promise.all([
    readDepths(kernel),
    countDeadLetters(kernel.db, DEAD_LETTERS_COUNTED_TO + 1),
  ])
  return {
    oldest: await oldestOfPriorities(kernel, depths),
    gates: gatesOf(depths),
    deadLetters: Math.min(dead, DEAD_LETTERS_COUNTED_TO),
    deadLettersAreExact: dead <= DEAD_LETTERS_COUNTED_TO,
  }
}

export const gatesOf = ({
  priorities: { critical, high, normal },
  total,
}: Depths): Readonly<Record<GateName, Depth>> => ({
  critical: asOfNow(critical),
  high: asOfNow(high),
  normal: asOfNow(normal),
  total: asOfNow(total),
})

/** The state that the next job would find: the row keeps how the gate was turned last, and the depth has changed since. */
const asOfNow = (gate: Depth): Depth => ({ ...gate, shut: turnGate(gate.shut, gate.depth, gate) })

interface WorkerView {
  readonly workerId: string
  readonly inFlight: number
  readonly jobTypes: readonly string[]
  /** When it claimed the oldest job it has. */
  readonly since?: string
  /** Its last poll, claim or heartbeat. */
  readonly lastSeenAt?: string
  readonly firstSeenAt?: string
  /** The worker asks for jobs. */
  readonly polling: boolean
}

const LEASES_READ = 10_000

/** Workers are known by their leases, and by what they ask for: one that does neither any more is gone. */
export async function readWorkers(kernel: Kernel) {
  const [rows, types] = await Promise.all([listRows(kernel.db, LEASES_READ, ASKING_MS), listJobTypes(kernel)])
  const items = rows.map(
    ({ worker_id, in_flight, job_types, since, seen_at, first_seen_at, is_polling }): WorkerView => ({
      workerId: worker_id,
      inFlight: in_flight,
      jobTypes: job_types,
      ...(since === null ? {} : { since: isoTime(since) }),
      ...(seen_at === null ? {} : { lastSeenAt: isoTime(seen_at) }),
      ...(first_seen_at === null ? {} : { firstSeenAt: isoTime(first_seen_at) }),
      polling: is_polling,
    }),
  )
  const polled = types.flatMap(({ name, lastPolledAt }) => (lastPolledAt ? [{ jobType: name, lastPolledAt }] : []))
  return { items, polled }
}

interface BusyJobType extends JobTypeView {
  /** Jobs and steps alike. */
  readonly ready: number
  readonly leased: number
}

const JOBS_COUNTED_TO = 10_000

/** With what there is to do for each: counted by index, up to a bound. */
export async function readJobTypes(kernel: Kernel): Promise<readonly BusyJobType[]> {
  const [types, depths] = await Promise.all([listJobTypes(kernel), readDepths(kernel)])
  const queueIds = busiestOf(depths)
  const counts = queueIds.length === 0 ? [] : await countByQueue(kernel.db, rangesOf(kernel, queueIds), JOBS_COUNTED_TO)
  const sums = new Map<string, { ready: number; leased: number }>()
  for (const { queue_id, ready, leased } of counts) {
    const name = queuesOf(kernel).of(queue_id)?.jobType ?? ""
    const sum = sums.get(name) ?? { ready: 0, leased: 0 }
    sums.set(name, { ready: Math.min(sum.ready + ready, JOBS_COUNTED_TO), leased: sum.leased + leased })
  }
  return types.map((type) => ({ ...type, ...(sums.get(type.name) ?? { ready: 0, leased: 0 }) }))
}
