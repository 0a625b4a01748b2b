// Operations without loops, listeners or a pulse of their own: a process that only does what a test tells it to.

import { Database } from "../db/database.ts"
import { queuesOf } from "../operations/flow/queue-registry.ts"
import { createKernel } from "../operations/kernel/create-kernel.ts"
import type { Kernel, OperationSettings } from "../operations/kernel/kernel.ts"
import { createLogger } from "../support/log.ts"
import { createMetrics } from "../support/metrics.ts"
import { databaseNow } from "./database-clock.ts"
import { byNearestDoor } from "./nearest-door.ts"
import { StoppableClock } from "./stoppable-clock.ts"

const DAY_MS = 24 * 3_600_000

export const BARE_SETTINGS: OperationSettings = {
  auditLogEnabled: true,
  leaseDefaultMs: 30_000,
  maxLostLeases: 3,
  packFrom: 8,
  retainMs: 30 * DAY_MS,
  processedRetainMs: 30 * DAY_MS,
  weights: { critical: 60, high: 30, normal: 10 },
  highWatermark: 10_000,
  lowWatermark: 2_000,
  totalHighWatermark: 30_000,
  totalLowWatermark: 6_000,
  backpressureRetryAfterSeconds: 5,
  jobRetries: 5,
  jobTimeoutMs: 30_000,
  maxWriteBytes: 262_144,
  maxVariablesBytes: 2_097_152,
  alertQueuedSteps: 50,
  alertWebhook: undefined,
}

export async function createBareKernel(dsn: string, maxConnections = 4): Promise<Kernel> {
  const kernel = createKernel({
    db: new Database({ dsn: byNearestDoor(dsn), schema: "millrace", maxConnections, connectMs: 30_000 }),
    log: createLogger({ level: "silent" }),
    metrics: createMetrics(),
    settings: BARE_SETTINGS,
    batchMax: 500,
    clock: new StoppableClock(),
  })
  kernel.clock.observe(await databaseNow(kernel.db))
  await queuesOf(kernel).refresh()
  return kernel
}
