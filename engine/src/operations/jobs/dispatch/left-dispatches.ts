// Dispatches that were written down and have no place in Kafka yet: their messages are made anew from the jobs, under the same dedup ids.
import { deleteDispatches, type UnpublishedRow } from "../../../store/jobs/dispatches.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"
import { toJob } from "../claim/claimed-job.ts"
import type { Dispatch } from "./claim-dispatches.ts"

/** A job that has ended, or has another claimant, needs no message. */
export async function dropEnded(kernel: Kernel, proveTerm: ProveTerm, rows: readonly UnpublishedRow[]): Promise<void> {
  const ended = rows.filter((row) => row.queue_id === null)
  if (ended.length === 0) return
  await kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
    deleteDispatches(tx, ended.map(keyOf))
  })
}

export const restoreDispatches = (kernel: Kernel, rows: readonly UnpublishedRow[]): readonly Dispatch[] =>
  rows.flatMap((row) => {
    const { queue_id, nonce, dedup_id: dedupId, created_at: createdAt, by_reference: byReference } = row
    if (queue_id === null) return []
    const job = toJob(kernel, { ...row, queue_id, lease_until: 0 }, { nonce, workerId: "" })
    return [{ key: keyOf(row), message: { dedupId, job, createdAt, byReference } }]
  })

const keyOf = ({ instance_id, execution, epoch }: UnpublishedRow) => ({ instance_id, execution, epoch })
