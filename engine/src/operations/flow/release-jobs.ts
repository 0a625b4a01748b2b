// Held jobs whose time has come join the end of their queue, or of those that wait for room under their limit.

import { releaseHeld } from "../../store/jobs/jobs.ts"
import { wakeQueues } from "../jobs/claim/wake-queues.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { fillIn } from "./fill-limits.ts"

const BATCH = 1_000

/** Returns how many jobs were released. */
export async function releaseJobs(kernel: Kernel, proveTerm: ProveTerm): Promise<number> {
  const released = await kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
    const rows = await releaseHeld(tx, BATCH)
    const keys = [...new Set(rows.flatMap((row) => row.limit_key ?? []))]
    const ready = rows.flatMap((row) => (row.limit_key === null ? [row.queue_id] : []))
    const filled = keys.length > 0 ? await fillIn(tx, kernel, keys) : []
    return { count: rows.length, queueIds: [...ready, ...filled] }
  })
  wakeQueues(kernel, released.queueIds)
  return released.count
}
