// The guard as the settings say it: with its counters, its ledger in PostgreSQL, its metrics, and what the doors need to ask it.
import {
  createGuard,
  type GuardOptions,
  type Observer,
  openRedisStore,
  type RunningGuard,
  systemClock,
} from "@millrace/guard"
import type { Config } from "./config.ts"
import { isGuardOn } from "./config.ts"
import { readClassLimits } from "./model/guard/class-limits.ts"
import { Busiest } from "./operations/guard/busiest.ts"
import { GuardLedger } from "./operations/guard/ledger.ts"
import { guardNotesOf } from "./operations/guard/notes.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"
import { GuardService } from "./services/guard.ts"
import { type GuardMetrics, guardMetrics } from "./support/guard/guard-metrics.ts"
import type { Guarding } from "./transports/calls/guard/guard-verdicts.ts"
import { VerifiedCredentials } from "./transports/calls/guard/verified-credentials.ts"

export interface OpenGuard {
  readonly guarding: Guarding
  stop(): Promise<void>
}

/**
 * Undefined where it is off: nothing of it is read, written or counted then. `more`: a store that this process shares with others where no
 * Redis is set; in tests a clock that they move.
 */
export async function openGuard(
  config: Config,
  kernel: Kernel,
  more: Partial<GuardOptions> = {},
): Promise<OpenGuard | undefined> {
  if (!isGuardOn(config)) return undefined
  const { registry, httpDuration } = kernel.metrics
  const metrics = guardMetrics(registry, { httpDuration, pool: () => kernel.db.pool })
  const observer = observerOf(kernel, metrics)
  const { schema } = config
  const url = config.guardRedisUrl
  // Engines of other schemas may use the same Redis.
  const store =
    url === undefined
      ? undefined
      : await openRedisStore({ url, prefix: `millrace:guard:${schema}:`, observer, clock: more.clock ?? systemClock })
  const guard = createGuard({
    ...optionsOf(config),
    ledger: new GuardLedger(kernel),
    observer,
    // Changes arrive through the pulse, so an idle engine asks for nothing else.
    refreshMs: 0,
    // Blocks have times of the database.
    clock: { ...systemClock, date: () => new Date(kernel.clock.nowMs()) },
    ...more,
    ...(store ? { store } : {}),
  })
  const service = new GuardService(kernel, guard)
  await service.start()
  return { guarding: guardingOf(config, { kernel, guard, metrics }), stop: () => service.stop() }
}

function optionsOf(config: Config): GuardOptions {
  const usual = { requests: config.rateLimitRequests, windowMs: config.rateLimitWindowSeconds * 1_000 }
  return {
    limits: { public: usual, login: usual, gateway: usual, ...readClassLimits(config.guardLimits) },
    failures: {
      byAddress: config.authFailureIpThreshold,
      byUser: config.authFailureUserThreshold,
      windowMs: config.authFailureWindowSeconds * 1_000,
    },
    rhythm: { deviationSeconds: config.scrapingEntropyThreshold, mostTimes: config.scrapingSampleSize },
    filter: { capacity: config.bloomFilterCapacity, errorRate: config.bloomFilterErrorRate },
    shadow: { all: config.shadowModeEnabled, rules: {} },
    failMode: config.guardFailMode,
    blocksFirst: config.guardOrder === "blocks-first",
  }
}

const observerOf = ({ log }: Kernel, metrics: GuardMetrics): Observer => ({
  rateRejected: (routeClass) => metrics.rateRejections.inc({ route_class: routeClass }),
  filterHit: (filter, isBlocked) => {
    if (isBlocked) metrics.filterHits.inc({ filter_type: filter === "address" ? "known_bad_ips" : "abusive_agents" })
  },
  abuseDetected: (state, rule) => metrics.abuseDetections.inc({ state, reason_type: rule }),
  wouldAct: ({ requestId, rule, state, client, path, reason }) =>
    log.info({ requestId, rule, state, client, path, reason }, "shadow mode: this would have been refused or delayed"),
  storeMissed: () => metrics.storeMisses.inc(),
  storeChanged: (isUp, reason) => {
    metrics.storeUp.set(isUp ? 1 : 0)
    if (isUp) log.info({ reason }, "the store of the guard answers again")
    else log.error({ reason }, "the store of the guard is gone: each replica counts for itself (GUARD_FAIL_MODE)")
  },
  ledgerFailed: (what, error) => {
    metrics.ledgerFailures.inc()
    log.warn({ err: error }, what)
  },
  notesDropped: (count) => metrics.notesDropped.inc(count),
})

interface Parts {
  readonly kernel: Kernel
  readonly guard: RunningGuard
  readonly metrics: GuardMetrics
}

function guardingOf(config: Config, { kernel, guard, metrics }: Parts): Guarding {
  const [clients, addresses] = [new Busiest(), new Busiest()]
  const notes = guardNotesOf(kernel)
  return {
    guard,
    settings: {
      shadow: config.shadowModeEnabled,
      failMode: config.guardFailMode,
      limits: optionsOf(config).limits ?? {},
      trustedProxies: config.trustedProxies,
    },
    verified: new VerifiedCredentials(),
    note: (visit, verdict, client) => {
      notes.count(verdict.state)
      metrics.verdicts.inc({ state: verdict.state })
      const isRefused = verdict.state === "soft-blocked" || verdict.state === "hard-blocked"
      addresses.note(visit.address, isRefused)
      if (client !== undefined) clients.note(client, isRefused)
    },
    top: (count) => ({ clients: clients.top(count), addresses: addresses.top(count) }),
  }
}
