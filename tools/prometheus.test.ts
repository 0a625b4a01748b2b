// The Prometheus files: read by Prometheus' own tool, tried out on made-up series, and about metrics that a running engine exports.
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { loadConfig } from "../engine/src/config.ts"
import { type Engine, startEngine } from "../engine/src/engine.ts"
import { dispatchMetrics } from "../engine/src/support/event-metrics.ts"
import { guardMetrics } from "../engine/src/support/guard/guard-metrics.ts"
import { createLogger } from "../engine/src/support/log.ts"
import { createMetrics } from "../engine/src/support/metrics.ts"
import { createTestDatabase } from "../engine/src/test-support/test-engine.ts"
import { read, root } from "./files.ts"
import { metricsIn, promtool, readPage } from "./promql.ts"

const FOLDER = "deploy/prometheus"

const check = (...args: string[]): string => promtool(join(root, FOLDER), ...args)

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("with promtool (package prometheus)", () => {
  test("D-43: the configuration is one that Prometheus takes", () => {
    expect(check("check", "config", "prometheus.yml")).toContain("SUCCESS")
  })

  test("D-50: the rules are, too", () => {
    expect(check("check", "rules", "rules.yml")).toContain("SUCCESS")
  })

  test("D-50, C-123: every alert fires when it should, and not before", () => {
    expect(check("test", "rules", "rules.test.yml")).toContain("SUCCESS")
  })
})

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

const alerts = (parse(read(`${FOLDER}/rules.yml`)) as Rules).groups.flatMap(({ rules }) => rules)

test("every alert is tried out", () => {
  const tests = read(`${FOLDER}/rules.test.yml`)
  expect(alerts.filter(({ alert }) => !tests.includes(`alertname: ${alert}\n`))).toEqual([])
})

test("D-43: scraped every 15 s, where the engine serves its metrics", () => {
  const config = parse(read(`${FOLDER}/prometheus.yml`))
  const { metricsPort } = loadConfig({ env: {} })
  expect(config.global.scrape_interval).toBe("15s")
  expect(config.scrape_configs[0].static_configs[0].targets).toEqual([`127.0.0.1:${metricsPort}`])
})

describe("a running engine", () => {
  let database: { dsn: string; drop(): Promise<void> }
  let engine: Engine

  beforeAll(async () => {
    database = await createTestDatabase()
    const env = {
      WE_POSTGRES_DSN: database.dsn,
      DB_MAX_CONNS: "4",
      WE_REST_PORT: "0",
      WE_METRICS_PORT: "0",
      WE_GRPC_PORT: "0",
    }
    engine = await startEngine(loadConfig({ env }), createLogger({ level: "silent" }))
  })
  afterAll(async () => {
    await engine?.stop()
    await database.drop()
  })

  test("D-40, D-50: exports every metric that a rule names, with a value from the first scrape on", async () => {
    const exported = readPage(await (await fetch(`${engine.metricsUrl}/metrics`)).text())
    const named = [...new Set(alerts.flatMap(({ expr }) => metricsIn(expr)))].filter((name) => name !== "up")
    expect(named.length).toBeGreaterThan(6)
    const ofKafka = createMetrics().registry
    dispatchMetrics(ofKafka)
    const guarded = createMetrics()
    const pool = () => ({ size: 0, idle: 0, waiting: 0, most: 1, least: 0 })
    guardMetrics(guarded.registry, { httpDuration: guarded.httpDuration, pool })
    const others = [ofKafka, guarded.registry]
    const isKnown = (name: string) =>
      exported.has(name) || others.some((registry) => registry.getSingleMetric(name) !== undefined)
    expect(named.filter((name) => !isKnown(name))).toEqual([])
  })
})
