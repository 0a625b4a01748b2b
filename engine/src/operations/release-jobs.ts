// Held jobs whose time has come join the end of their queue.
import { releaseHeld } from "../store/jobs.ts"
import type { Guard } from "./advance.ts"
import type { Context } from "./context.ts"

const BATCH = 1_000

export async function releaseJobs(ctx: Context, guard: Guard): Promise<number> {
  const queueIds = await ctx.db.transaction(async (tx) => {
    await guard(tx)
    return releaseHeld(tx, BATCH)
  })
  ctx.wakeups.wake(new Set(queueIds.flatMap((id) => ctx.queues.of(id)?.jobType ?? [])))
  return queueIds.length
}
