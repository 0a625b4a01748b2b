// The metrics of the guard, which exist only where it is on. No label has a value that a caller chooses: a million clients are no more
// series than one.
import { Counter, Gauge, type Histogram, type Registry } from "prom-client"
import { requestDuration, requestsTotal } from "./request-metrics.ts"

// A series that is missing until something happens cannot be told from one that stands still: all begin at 0.
const CLASSES = ["public", "login", "gateway", "worker", "client", "stream", "admin", "metrics"]
const FILTERS = ["known_bad_ips", "abusive_agents"]
const ABUSES = ["failures-by-address", "failures-by-user", "regularity"]
const STATES = ["allowed", "throttled", "soft-blocked", "hard-blocked"]

/** Connections of the pool to the database. */
export interface PoolCounts {
  readonly size: number
  readonly idle: number
  readonly waiting: number
  readonly most: number
  /** Kept open when idle. */
  readonly least: number
}

export interface GuardSources {
  /** By method, path and status. */
  readonly httpDuration: Histogram<"method" | "path" | "status">
  readonly pool: () => PoolCounts
}

export type GuardMetrics = ReturnType<typeof guardMetrics>

export function guardMetrics(registry: Registry, { httpDuration, pool }: GuardSources) {
  const registers = [registry]
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  registry.registerMetric(requestDuration(httpDuration))
  registry.registerMetric(requestsTotal(httpDuration))
  poolGauges(registers, pool)
  const storeUp = new Gauge({
    name: "guard_store_up",
    help: "0 while the shared store of the guard is gone",
    registers,
  })
  storeUp.set(1)
  return {
    storeUp,
    ...verdictMetrics(registers),
    storeMisses: counter("guard_store_misses_total", "Questions that the shared store did not answer in time"),
    ledgerFailures: counter(
      "guard_ledger_failures_total",
      "Reads of blocks and settings that failed; the old ones go on",
    ),
    notesDropped: counter("guard_notes_dropped_total", "Notes of shadow mode and of blocks that were given up"),
  }
}

function verdictMetrics(registers: Registry[]) {
  const labelled = <L extends string>(name: string, help: string, begin: readonly Record<L, string>[]) => {
    const metric = new Counter<L>({ name, help, labelNames: Object.keys(begin[0] ?? {}) as L[], registers })
    for (const labels of begin) metric.inc(labels, 0)
    return metric
  }
  return {
    rateRejections: labelled(
      "rate_limit_rejections_total",
      "Calls over a limit, by class of route",
      CLASSES.map((route_class) => ({ route_class })),
    ),
    filterHits: labelled(
      "bloom_filter_hits_total",
      "Calls of blocked addresses and agents",
      FILTERS.map((filter_type) => ({ filter_type })),
    ),
    abuseDetections: labelled(
      "abuse_detections_total",
      "Calls that a rule against abuse has delayed or refused",
      ABUSES.flatMap((reason_type) => ["throttled", "soft-blocked"].map((state) => ({ state, reason_type }))),
    ),
    verdicts: labelled(
      "guard_verdicts_total",
      "Calls by what the guard said of them",
      STATES.map((state) => ({ state })),
    ),
  }
}

function poolGauges(registers: Registry[], pool: () => PoolCounts): void {
  new Gauge({
    name: "db_pool_checkedout",
    help: "Connections to the database that are in use",
    registers,
    collect() {
      const { size, idle } = pool()
      this.set(size - idle)
    },
  })
  new Gauge({
    name: "db_pool_overflow",
    help: "Connections to the database beyond those that are kept when idle (DB_MIN_CONNS)",
    registers,
    collect() {
      const { size, least } = pool()
      this.set(Math.max(0, size - least))
    },
  })
}
