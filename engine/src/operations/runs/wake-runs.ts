// An event that a blocked run waits for: runs linked to it need not sit out their delay. Losing the event only costs that delay.
import type { Transaction } from "../../db/transaction.ts"
import { releaseLinked } from "../../store/jobs/jobs.ts"
import type { Context } from "../kernel/context.ts"
import { once, type RequestKey } from "../kernel/idempotency.ts"

/** How many runs were woken. */
export const wakeRuns = (ctx: Context, linkingId: string, tx?: Transaction): Promise<number> =>
  tx ? wake(ctx, tx, linkingId) : ctx.db.transaction((own) => wake(ctx, own, linkingId))

/** A repeat with the same key is told how many the first has woken. */
export const wakeOnce = (ctx: Context, linkingId: string, key: RequestKey | undefined) =>
  ctx.db.transaction((tx) =>
    once(
      tx,
      key,
      () => wake(ctx, tx, linkingId),
      (woken) => ({ status: 200, body: JSON.stringify({ woken }) }),
    ),
  )

async function wake(ctx: Context, tx: Transaction, linkingId: string): Promise<number> {
  const queueIds = await releaseLinked(tx, linkingId)
  tx.afterCommit(() => ctx.wakeups.wake(ctx.queues.known(queueIds)))
  return queueIds.length
}
