// The Grafana panels of examples/payments: what they ask for is what its API exports, in PromQL that Prometheus reads.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stringify } from "yaml"
import { shopMetrics } from "../examples/payments/src/api/metrics.ts"
import { readJson } from "./files.ts"
import { labelsIn, metricsIn, promtool, readPage } from "./promql.ts"

interface Panel {
  readonly title: string
  readonly description: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const { panels } = readJson<{ readonly panels: readonly Panel[] }>("examples/payments/grafana/payments.json")
const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m")))

test("F-20: outcomes, outbox lag and dead letters are shown, each with a title and a description", () => {
  const shown = new Set(exprs.flatMap(metricsIn))
  expect([...shown].sort()).toEqual(["dlq_depth", "outbox_depth", "outbox_lag_seconds", "payments_created_total"])
  expect(panels.filter(({ title, description }) => !title || !description.endsWith("."))).toEqual([])
})

test("F-20, F-17: the API exports every metric and every label that a panel asks for", async () => {
  const empty = { query: async () => ({ rows: [{ value: 0 }] }) }
  const page = readPage(await shopMetrics(empty as never).registry.metrics())
  const labels = new Set(exprs.flatMap(labelsIn))
  expect(exprs.flatMap(metricsIn).filter((metric) => !page.has(metric))).toEqual([])
  expect([...labels].filter((label) => !page.get("payments_created_total")?.has(label))).toEqual([])
})

test.skipIf(!process.env.MILLRACE_FULL_TESTS)(
  "with promtool (package prometheus): F-20: Prometheus reads every expression",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "payments-promql-"))
    const rules = exprs.map((expr, at) => ({ record: `panel:${at}`, expr }))
    writeFileSync(join(folder, "panels.yml"), stringify({ groups: [{ name: "panels", rules }] }))
    expect(promtool(folder, "check", "rules", "panels.yml")).toContain(`SUCCESS: ${exprs.length} rules found`)
    rmSync(folder, { recursive: true })
  },
)
