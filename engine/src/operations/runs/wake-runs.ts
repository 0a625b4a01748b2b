// An event that a blocked run waits for: runs linked to it need not sit out their delay. Losing the event only costs that delay.

import type { Transaction } from "../../db/transaction.ts"
import { releaseLinked } from "../../store/jobs/jobs.ts"
import { wakeQueues } from "../jobs/claim/wake-queues.ts"
import { once, type RequestKey } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** How many runs were woken. */
export const wakeRuns = (kernel: Kernel, linkingId: string, tx?: Transaction): Promise<number> =>
  tx ? wake(kernel, tx, linkingId) : kernel.db.transaction((own) => wake(kernel, own, linkingId))

/** A repeat with the same key gets the number of runs that the first request woke. */
export const wakeOnce = (kernel: Kernel, linkingId: string, key: RequestKey | undefined) =>
  kernel.db.transaction((tx) => once(tx, key, async () => ({ woken: await wake(kernel, tx, linkingId) })))

async function wake(kernel: Kernel, tx: Transaction, linkingId: string): Promise<number> {
  const queueIds = await releaseLinked(tx, linkingId)
  tx.afterCommit(() => wakeQueues(kernel, queueIds))
  return queueIds.length
}
