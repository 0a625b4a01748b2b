// Operations without loops, listeners or a pulse of their own: a process that only does what a test tells it to.
import { Database } from "../db/database.ts"
import type { Context, OperationSettings } from "../operations/kernel/context.ts"
import { createContext } from "../operations/kernel/create-context.ts"
import { createLogger } from "../support/log.ts"
import { createMetrics } from "../support/metrics.ts"

const DAY_MS = 24 * 3_600_000

export const BARE_SETTINGS: OperationSettings = {
  auditLogEnabled: true,
  leaseDefaultMs: 30_000,
  maxLostLeases: 3,
  retainMs: 30 * DAY_MS,
  weights: { critical: 60, high: 30, normal: 10 },
  highWatermark: 10_000,
  lowWatermark: 2_000,
  totalHighWatermark: 30_000,
  totalLowWatermark: 6_000,
  backpressureRetryAfterSeconds: 5,
  jobRetries: 5,
  jobTimeoutMs: 30_000,
  alertQueuedSteps: 50,
  alertWebhook: undefined,
}

export async function createBareContext(dsn: string, maxConnections = 4): Promise<Context> {
  const ctx = createContext({
    db: new Database({ dsn, schema: "millrace", maxConnections }),
    log: createLogger({ level: "silent" }),
    metrics: createMetrics(),
    settings: BARE_SETTINGS,
    batchMax: 500,
  })
  await advanceClock(ctx, 0)
  await ctx.queues.refresh()
  return ctx
}

/** Moves the database's clock, and tells this process. */
export async function advanceClock({ db, clock }: Context, ms: number): Promise<void> {
  await db.script(`update millrace.test_clock set offset_ms = offset_ms + ${Math.round(ms)}`)
  const [row] = await db.script("select millrace.clock() as now")
  clock.observe(row?.now as number)
}
