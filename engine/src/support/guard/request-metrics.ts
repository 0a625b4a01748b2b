// Requests under the names that the guard promises, told from what is measured already: nothing is measured twice.
import type { Histogram, Metric } from "prom-client"

type HttpDuration = Histogram<"method" | "path" | "status">

/** 5 ms to 2.5 s: each of them a bucket of what is measured. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

interface Told {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
}

const sum = (values: readonly Told[]): number => values.reduce((total, { value }) => total + value, 0)
const named = (values: readonly Told[], suffix: string): Told[] =>
  values.filter(({ metricName }) => metricName?.endsWith(suffix))

/** Over all routes. */
export function requestDuration(measured: HttpDuration): Metric {
  const name = "request_duration_seconds"
  const get = async () => {
    const values = (await measured.get()).values as Told[]
    const upTo = (le: number | string) => sum(named(values, "_bucket").filter(({ labels }) => labels.le === le))
    const count = sum(named(values, "_count"))
    return {
      name,
      help: "Duration of an HTTP request, over all routes",
      type: "histogram",
      aggregator: "sum",
      values: [
        ...BUCKETS.map((le) => ({ metricName: `${name}_bucket`, labels: { le }, value: upTo(le) })),
        { metricName: `${name}_bucket`, labels: { le: "+Inf" }, value: count },
        { metricName: `${name}_sum`, labels: {}, value: sum(named(values, "_sum")) },
        { metricName: `${name}_count`, labels: {}, value: count },
      ],
    }
  }
  return derived(name, [], get)
}

/** By the pattern of the route, never by a path. */
export function requestsTotal(measured: HttpDuration): Metric {
  const name = "requests_total"
  const get = async () => ({
    name,
    help: "HTTP requests, by status and route",
    type: "counter",
    aggregator: "sum",
    values: byRoute(named((await measured.get()).values as Told[], "_count")),
  })
  return derived(name, ["status_code", "route"], get)
}

function byRoute(counts: readonly Told[]) {
  const totals = new Map<string, { labels: { status_code: number; route: string }; value: number }>()
  for (const { value, labels } of counts) {
    const told = { status_code: Number(labels.status), route: String(labels.path) }
    const key = `${told.status_code} ${told.route}`
    const known = totals.get(key)
    totals.set(key, { labels: told, value: (known?.value ?? 0) + value })
  }
  return [...totals.values()]
}

/** Only the parts of a metric that a registry uses. */
const derived = (name: string, labelNames: readonly string[], get: () => Promise<object>): Metric =>
  ({ name, labelNames, get, reset: () => {} }) as unknown as Metric
