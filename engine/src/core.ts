// The engine without its doors: database, operations and loops. The server, the library and the tests stand on it.

import type { CoreConfig } from "./config/core-config.ts"
import { Database } from "./db/database.ts"
import { migrate } from "./db/migrate.ts"
import { probePooler } from "./db/probe-pooler.ts"
import { relaysOf } from "./operations/events/relays.ts"
import { liveSettingsOf } from "./operations/flow/live-settings.ts"
import { openQueuesOf } from "./operations/flow/open-queues.ts"
import { queuesOf } from "./operations/flow/queue-registry.ts"
import { wakeupsOf } from "./operations/jobs/claim/wakeups.ts"
import { dispatchingOf } from "./operations/jobs/dispatch/dispatching.ts"
import { jobRelayOf } from "./operations/jobs/dispatch/relay.ts"
import { createKernel } from "./operations/kernel/create-kernel.ts"
import type { Kernel, OperationSettings } from "./operations/kernel/kernel.ts"
import type { LoopName } from "./operations/kernel/loops.ts"
import { feedOf } from "./operations/observability/overview-feed.ts"
import { createWeeks } from "./operations/upkeep/keep-house.ts"
import { EventWatchService } from "./services/event-watch.ts"
import { GaugeService } from "./services/gauges.ts"
import { NotifierService } from "./services/notifier.ts"
import { PulseService } from "./services/pulse.ts"
import { SeriesService } from "./services/series.ts"
import { readClock, readDurability } from "./store/kernel/server.ts"
import type { Logger } from "./support/log.ts"
import { createMetrics } from "./support/metrics.ts"

export interface Core {
  readonly kernel: Kernel
  readonly processId: string
  /** The database answered the last pulse. */
  healthy(): boolean
  /** Takes the pulse at once: for tests, which move the clock. */
  beat(): Promise<void>
  /** Ends waiting polls, then the loops, then the connections. */
  stop(): Promise<void>
}

/** Fewer connections than this are too few to give one away to LISTEN; the pulse wakes waiting claims in any case. */
const CONNECTIONS_FOR_LISTEN = 4

/** For tests: a clock that can be moved, and dice that fall as they should. */
type Fate = Partial<Pick<Kernel, "clock" | "random">> & {
  /** The singleton loops that this process may lead. Without it, all of them. Not only for tests. */
  readonly loops?: readonly LoopName[]
}

export async function openCore(config: CoreConfig, log: Logger, fate: Fate = {}): Promise<Core> {
  const db = new Database({
    dsn: config.postgresDsn ?? "",
    schema: config.schema,
    // One is kept for what is read in the middle of transactions (`aside`).
    maxConnections: Math.max(1, config.dbMaxConns - 1),
    minConnections: config.dbMinConns,
    connectMs: config.dbConnectTimeoutMs,
    statementMs: config.dbStatementTimeoutMs,
    lifetimeMs: config.dbConnectionLifetimeMs,
  })
  try {
    return await openOn(db, config, log, fate)
  } catch (error) {
    await db.close().catch(() => {})
    throw error
  }
}

async function openOn(db: Database, config: CoreConfig, log: Logger, fate: Fate): Promise<Core> {
  const { keepsSessions } = await probePooler(db)
  const applied = await migrate(db)
  if (applied.length > 0) log.info({ migrations: applied }, "the database was migrated")
  await warnOfWeakSettings(db, log)
  const { batchMax } = config
  const settings = operationSettings(config)
  const nudge = (loop: LoopName, inMs: number) => pulse.nudge(loop, inMs)
  const kernel = createKernel({ db, log, metrics: createMetrics(), settings, batchMax, nudge, ...fate })
  const pulse: PulseService = new PulseService(kernel, fate.loops)
  await prepare(kernel)
  await pulse.start()
  const notifier =
    keepsSessions && config.dbMaxConns >= CONNECTIONS_FOR_LISTEN
      ? new NotifierService(kernel, () => pulse.others > 0)
      : undefined
  await notifier?.start()
  const stopServices = startServices(kernel, pulse)
  return {
    kernel,
    processId: kernel.processId,
    healthy: () => pulse.healthy,
    beat: () => pulse.beat(),
    stop: async () => {
      wakeupsOf(kernel).close()
      feedOf(kernel).end()
      await notifier?.stop()
      await relaysOf(kernel).close()
      jobRelayOf(kernel).stop()
      await pulse.stop()
      await dispatchingOf(kernel).close()
      await stopServices()
      openQueuesOf(kernel).stop()
      await db.close()
    },
  }
}

/** What runs beside the pulse; returns what ends it. */
function startServices(kernel: Kernel, pulse: PulseService): () => Promise<void> {
  const services = [
    new EventWatchService(kernel, (loop) => pulse.leads(loop)),
    new GaugeService(kernel),
    new SeriesService(kernel, () => pulse.leads("meter")),
  ]
  for (const service of services) service.start()
  return async () => {
    for (const service of services) await service.stop()
  }
}

/** What a process has to know before its first beat. */
async function prepare(kernel: Kernel): Promise<void> {
  kernel.clock.observe(await readClock(kernel.db))
  await createWeeks(kernel)
  await queuesOf(kernel).refresh()
  await liveSettingsOf(kernel).refresh()
}

const operationSettings = (config: CoreConfig): OperationSettings => ({
  auditLogEnabled: config.auditLogEnabled,
  leaseDefaultMs: config.leaseDefaultMs,
  maxLostLeases: config.maxLostLeases,
  packFrom: config.packFrom,
  retainMs: config.retainMs,
  processedRetainMs: config.processedRetainMs,
  weights: config.weights,
  highWatermark: config.highWatermark,
  lowWatermark: config.lowWatermark,
  totalHighWatermark: config.totalHighWatermark,
  totalLowWatermark: config.totalLowWatermark,
  backpressureRetryAfterSeconds: Math.ceil(config.backpressureRetryAfterMs / 1_000),
  jobRetries: config.jobRetries,
  jobTimeoutMs: config.jobTimeoutMs,
  maxWriteBytes: config.maxWriteBytes,
  maxVariablesBytes: config.maxVariablesBytes,
  alertQueuedSteps: config.alertQueuedSteps,
  alertWebhook: config.alertWebhook,
})

/** What "accepted means committed" rests on. */
async function warnOfWeakSettings(db: Database, log: Logger): Promise<void> {
  for (const [setting, value] of Object.entries(await readDurability(db))) {
    if (value === "off")
      log.warn({ setting, value }, `${setting} is off: what was accepted can be lost in a crash of the database`)
  }
}
