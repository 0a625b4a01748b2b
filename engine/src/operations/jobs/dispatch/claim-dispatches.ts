// Claims ready jobs for Kafka: the same claim as a worker's, in a transaction that also writes down what is to be published.
import { KAFKA_WORKER } from "../../../model/jobs/reports.ts"
import { type DispatchKey, insertDispatches } from "../../../store/jobs/dispatches.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"
import { claimByPriority, type TakenSlot } from "../claim/claim-by-priority.ts"
import { mintSlot, toJob } from "../claim/claimed-job.ts"
import { noteClaim } from "../claim/note-claim.ts"
import type { Seen } from "../claim/wakeups.ts"
import type { JobMessage } from "./broker.ts"

/** A claimed job with its row in the outbox. */
export interface Dispatch {
  readonly key: DispatchKey
  readonly message: JobMessage
}

interface DispatchAsk {
  readonly jobTypes: readonly string[]
  readonly count: number
  /** What was known of new work before. */
  readonly seen: Seen
}

/** In the order in which they are to be published. */
export async function claimDispatches(
  kernel: Kernel,
  proveTerm: ProveTerm,
  ask: DispatchAsk,
): Promise<readonly Dispatch[]> {
  const { jobTypes, count, seen } = ask
  if (openQueuesOf(kernel).worthALook(jobTypes).lively.length === 0) return []
  const slots = Array.from({ length: count }, () => mintSlot({ workerId: KAFKA_WORKER }))
  const { claim, dispatches } = await kernel.db.transaction(async (tx) => {
    const asked = claimByPriority(kernel, { jobTypes, slots, waits: true, endlessIn: tx })
    const [claim] = await Promise.all([asked, proveTerm(tx)])
    const dispatches = claim.taken.map((taken) => newDispatch(kernel, taken))
    if (dispatches.length > 0) insertDispatches(tx, dispatches.map(toRow))
    return { claim, dispatches }
  })
  noteClaim(kernel, claim, seen)
  return dispatches
}

function newDispatch(kernel: Kernel, { row, slot }: TakenSlot): Dispatch {
  const { instance_id, execution, epoch } = row
  const message = {
    dedupId: kernel.newId(),
    job: toJob(kernel, row, slot),
    createdAt: kernel.clock.nowMs(),
    byReference: false,
  }
  return { key: { instance_id, execution, epoch }, message }
}

const toRow = ({ key, message: { dedupId, job } }: Dispatch) => ({ ...key, dedup_id: dedupId, job_type: job.jobType })
