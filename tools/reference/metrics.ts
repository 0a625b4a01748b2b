// docs/reference/metrics.md: every metric of the engine, from the registry that serves them.
import { dispatchMetrics } from "../../engine/src/support/event-metrics.ts"
import { guardMetrics } from "../../engine/src/support/guard/guard-metrics.ts"
import { createMetrics } from "../../engine/src/support/metrics.ts"
import { code, page, table } from "./table.ts"

interface Known {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

export async function metricsPage(): Promise<string> {
  const polled = await rowsOf(createMetrics().registry)
  const { registry } = createMetrics()
  dispatchMetrics(registry)
  const known = new Set(polled.map(([name]) => name))
  const dispatched = (await rowsOf(registry)).filter(([name]) => !known.has(name))
  const guarded = createMetrics()
  const pool = () => ({ size: 0, idle: 0, waiting: 0, most: 1, least: 0 })
  guardMetrics(guarded.registry, { httpDuration: guarded.httpDuration, pool })
  const ofGuard = (await rowsOf(guarded.registry)).filter(([name]) => !known.has(name))
  const columns = ["metric", "type", "labels", "meaning"]
  return page("Metrics", "engine/src/support/metrics.ts", [
    "Prometheus' text format on `GET /metrics` of the metrics port (`WE_METRICS_PORT`, 9091). Every process counts what it did itself: sum over the processes. The gauges of the queue are the same in all of them: take the `max`.",
    table(columns, polled),
    "With `WE_DISPATCH_MODE=kafka_outbox` there are these too, and `workflow_engine_job_lock_conflicts_total`, `workflow_engine_job_empty_polls_total` and `workflow_engine_job_poll_latency_seconds` are not there:",
    table(columns, dispatched),
    "Where the guard is on (`WE_GUARD`) there are these too. No label has a value that a caller chooses:",
    table(columns, ofGuard),
  ])
}

async function rowsOf(registry: ReturnType<typeof createMetrics>["registry"]): Promise<string[][]> {
  const described = await registry.getMetricsAsJSON()
  return described.map(({ name, help, type }) => {
    const { labelNames } = registry.getSingleMetric(name) as unknown as Known
    return [code(name), String(type), labelNames.map(code).join(", "), help]
  })
}
