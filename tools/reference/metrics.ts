// docs/reference/metrics.md: every metric of the engine, from the registry that serves them.
import { createMetrics } from "../../engine/src/support/metrics.ts"
import { code, page, table } from "./table.ts"

interface Known {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

export async function metricsPage(): Promise<string> {
  const { registry } = createMetrics()
  const described = await registry.getMetricsAsJSON()
  const rows = described.map(({ name, help, type }) => {
    const { labelNames } = registry.getSingleMetric(name) as unknown as Known
    return [code(name), String(type), labelNames.map(code).join(", "), help]
  })
  return page("Metrics", "engine/src/support/metrics.ts", [
    "Prometheus' text format on `GET /metrics` of the metrics port (`WE_METRICS_PORT`, 9091). Every process counts what it did itself: sum over the processes. The gauges of the queue are the same in all of them: take the `max`.",
    table(["metric", "type", "labels", "meaning"], rows),
  ])
}
