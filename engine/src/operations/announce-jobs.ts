// What follows the intake of standalone jobs: whoever waits for them is told, and what was heard of the gates is remembered.
import type { EnqueueRow, NewStandaloneJob } from "../store/enqueue.ts"
import { type Context, METER_MS } from "./context.ts"
import { refillLimits } from "./fill-limits.ts"

/** After commit: whoever waits for these jobs, or sees to it that they become ready, is told. */
export function announceReady(ctx: Context, rows: readonly NewStandaloneJob[]): void {
  const ready = rows.filter((row) => !row.lease && row.delayMs === 0 && row.limitKey === null)
  ctx.wakeups.wake(ctx.queues.known(ready.map((row) => row.queueId)))
  for (const { delayMs } of rows) if (delayMs > 0) ctx.nudge("releaser", delayMs)
  ctx.nudge("meter", METER_MS)
  refillLimits(
    ctx,
    rows.map((row) => (row.delayMs === 0 ? row.limitKey : null)),
  )
}

export function hearGates({ gates }: Context, { shut }: EnqueueRow): void {
  for (const name of ["critical", "high", "normal", "total"] as const) gates.heard(name, shut.includes(name))
}
