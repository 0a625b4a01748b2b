// The Grafana files: panels that say what they show, in PromQL that Prometheus reads, of metrics that a running engine exports.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { loadConfig } from "../engine/src/config.ts"
import { Database } from "../engine/src/db/database.ts"
import { type Engine, startEngine } from "../engine/src/engine.ts"
import { dispatchMetrics } from "../engine/src/support/event-metrics.ts"
import { createLogger } from "../engine/src/support/log.ts"
import { createMetrics } from "../engine/src/support/metrics.ts"
import { eventually } from "../engine/src/test-support/mills.ts"
import { createTestDatabase } from "../engine/src/test-support/test-engine.ts"
import { list, read, readJson } from "./files.ts"
import { labelsIn, metricsIn, promtool, readPage } from "./promql.ts"

interface Panel {
  readonly id: number
  readonly type: string
  readonly title?: string
  readonly description?: string
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly repeat?: string
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string; readonly thresholds?: object } }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string; readonly refId: string }[]
}
interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly panels: readonly Panel[]
  readonly links: readonly { readonly url: string }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly datasource?: { uid: string } }[] }
}

const FOLDER = "deploy/grafana"
const dashboards = list(`${FOLDER}/dashboards`, (path) => path.endsWith(".json")).map((path) =>
  readJson<Dashboard>(path),
)
const panels = dashboards.flatMap(({ uid, panels }) =>
  panels.filter(({ type }) => type !== "row").map((panel) => ({ ...panel, name: `${uid}: ${panel.title}` })),
)
const targets = panels.flatMap(({ name, targets = [] }) =>
  targets.map(({ expr, legendFormat, refId }) => ({ name: `${name}, ${refId}`, expr: filledIn(expr), legendFormat })),
)

/** As Grafana sends it. */
function filledIn(expr: string): string {
  const values: Record<string, string> = { __rate_interval: "1m", engine: "millrace", priority: "critical" }
  return expr.replaceAll(/\$(\w+)/g, (all, name) => values[name] ?? all)
}

describe("D-42: provisioned from files", () => {
  test("one datasource, the Prometheus of compose.yaml, and every panel uses it", () => {
    const { datasources } = parse(read(`${FOLDER}/provisioning/datasources/prometheus.yaml`))
    const services = parse(read("deploy/compose.yaml"), { merge: true }).services
    expect(datasources).toMatchObject([{ type: "prometheus", isDefault: true, jsonData: { timeInterval: "15s" } }])
    const { hostname, port } = new URL(datasources[0].url)
    expect(services[hostname].ports[0]).toMatch(new RegExp(`:${port}$`))
    const variables = dashboards.flatMap(({ templating }) => templating.list)
    const used = [...panels, ...variables].flatMap(({ datasource }) => datasource?.uid ?? [])
    expect(new Set(used)).toEqual(new Set([datasources[0].uid]))
    expect(panels.filter(({ datasource }) => !datasource)).toEqual([])
  })

  test("the folders are mounted where Grafana and the provider look for them", () => {
    const { grafana } = parse(read("deploy/compose.yaml"), { merge: true }).services
    const { providers } = parse(read(`${FOLDER}/provisioning/dashboards/millrace.yaml`))
    expect(grafana.volumes).toContain("./grafana/provisioning:/etc/grafana/provisioning:ro")
    expect(grafana.volumes).toContain(`./grafana/dashboards:${providers[0].options.path}:ro`)
    const home: string = grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH
    expect(read(home.replace(providers[0].options.path, `${FOLDER}/dashboards`))).toContain('"uid": "millrace-queue"')
  })
})

describe("D-42: dashboards", () => {
  test("each has a uid and a title of its own, and its links lead to another", () => {
    const uids = dashboards.map(({ uid }) => uid)
    expect(uids.sort()).toEqual(["millrace-engine", "millrace-events", "millrace-queue"])
    expect(new Set(dashboards.map(({ title }) => title)).size).toBe(uids.length)
    for (const { links } of dashboards) for (const { url } of links) expect(uids).toContain(url.replace("/d/", ""))
  })

  test.each(dashboards)("$title: ids are unique, and no panel lies on another", ({ panels }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(cellsOf)
    expect(cells.length).toBe(new Set(cells).size)
    expect(cells.filter((cell) => Number(cell.split(" ")[0]) >= 24)).toEqual([])
  })

  test.each(panels)("$name: title, unit, description and thresholds", ({ title, description, fieldConfig }) => {
    expect(title).toBeTruthy()
    expect(description).toMatch(/\.$/)
    expect(fieldConfig?.defaults.unit).toBeTruthy()
    expect(fieldConfig?.defaults.thresholds).toBeDefined()
  })

  test("D-42, C-116, C-118: the signs people ask for are there", () => {
    const shown = new Set(targets.flatMap(({ expr }) => metricsIn(expr)))
    const asked = [
      ...["queue_depth", "queue_high_watermark", "queue_low_watermark", "jobs_processed_total", "dead_letters"],
      ...["backpressure_rejections_total", "backpressure_active", "zombie_jobs_reaped_total"],
      ...["queue_oldest_waiting_seconds", "workflow_instances_started_total", "workflow_instances_completed_total"],
      ...["workflow_steps_executed_total", "http_requests_duration_seconds_bucket", "engine_leader"],
      ...["engine_job_pickup_latency_seconds_bucket", "engine_db_transaction_duration_seconds_bucket"],
      ...["workflow_engine_job_lock_conflicts_total", "workflow_engine_job_empty_polls_total"],
    ]
    expect(asked.filter((name) => !shown.has(name))).toEqual([])
  })

  test("C-119: every metric of dispatch through Kafka is shown, and the engine has each with its labels", async () => {
    const { registry } = createMetrics()
    const before = new Set(registry.getMetricsAsArray().map(({ name }) => name))
    const { published, producerErrors, consumerLag } = dispatchMetrics(registry)
    published.inc({ result: "written" })
    producerErrors.inc({ code: "retry" })
    consumerLag.set({ topic: "t", group: "g", partition: "0" }, 1)
    const page = readPage(await registry.metrics())
    const ofKafka = targets.filter(({ expr }) => metricsIn(expr).some(isOfKafka))
    const shown = new Set(ofKafka.flatMap(({ expr }) => metricsIn(expr)))
    expect([...shown].filter((metric) => !page.has(metric))).toEqual([])
    const names = registry.getMetricsAsArray().map(({ name }) => name)
    expect(names.filter((name) => !before.has(name) && ![...shown].some((one) => one.startsWith(name)))).toEqual([])
    expect(faultsIn(ofKafka, page)).toEqual([])
  })

  test("gauges that all processes share are never added up over processes, and counters always are", () => {
    const shared = /\bsum\b[^(]*\((queue_|dead_letters|backpressure_active|workflows_queued)/
    expect(targets.filter(({ expr }) => shared.test(expr))).toEqual([])
    const bare = targets.filter(({ expr }) => /\b(rate|increase)\(/.test(expr) && !/\bsum\b/.test(expr))
    expect(bare).toEqual([])
  })
})

/** A panel that is repeated fills its row. */
function cellsOf({ gridPos: { x, y, w, h }, repeat }: Panel): string[] {
  const [left, width] = repeat ? [0, 24] : [x, w]
  return Array.from({ length: width * h }, (_, at) => `${left + (at % width)} ${y + Math.floor(at / width)}`)
}

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("with promtool (package prometheus)", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-promql-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  const parsed = (exprs: readonly string[]): string => {
    const rules = exprs.map((expr, at) => ({ record: `panel:${at}`, expr }))
    writeFileSync(join(folder, "panels.yml"), stringify({ groups: [{ name: "panels", rules }] }))
    return promtool(folder, "check", "rules", "panels.yml")
  }

  test("D-42: every expression is one that Prometheus reads", () => {
    expect(targets.length).toBeGreaterThan(40)
    expect(targets.filter(({ expr }) => expr.includes("$"))).toEqual([])
    expect(parsed(targets.map(({ expr }) => expr))).toContain(`SUCCESS: ${targets.length} rules found`)
    expect(() => parsed(["sum by (queue_depth"])).toThrow("parse error")
  })
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
      WE_GUARD: "on",
    }
    engine = await startEngine(loadConfig({ env }), createLogger({ level: "silent" }))
  })
  afterAll(async () => {
    await engine?.stop()
    await database.drop()
  })

  test("D-42: exports every metric that a panel names, with the labels it is asked for", async () => {
    await runOneWorkflow(engine.restUrl, database.dsn)
    const page = readPage(await (await fetch(`${engine.metricsUrl}/metrics`)).text())
    const ofEvents = /^events_(sent|consumed)_total$/
    const there = targets.filter(({ expr }) => !metricsIn(expr).some((one) => isOfKafka(one) || ofEvents.test(one)))
    expect(faultsIn(there, page)).toEqual([])
  })
})

/** Only where jobs are dispatched so. */
const isOfKafka = (metric: string): boolean => /^workflow_engine_(dispatch|kafka)_/.test(metric)

/** Metrics and labels that targets ask for and the page of an engine lacks. */
function faultsIn(asked: readonly (typeof targets)[number][], page: ReturnType<typeof readPage>): string[] {
  return asked.flatMap(({ name, expr, legendFormat }) => {
    const metrics = metricsIn(expr).filter((metric) => metric !== "up")
    const labels = new Set(["job", "instance", ...metrics.flatMap((metric) => [...(page.get(metric) ?? [])])])
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string)
    return [
      ...metrics.filter((metric) => !page.has(metric)).map((metric) => `${name}: no metric ${metric}`),
      ...[...labelsIn(expr), ...shown].filter((label) => !labels.has(label)).map((label) => `${name}: no ${label}`),
    ]
  })
}

/** So that series that begin with the first event are there: a workflow, whose instance somebody else holds for a moment. */
async function runOneWorkflow(url: string, dsn: string): Promise<void> {
  const task = { id: "greet", name: "Greet", type: "SERVICE_TASK", jobType: "greet", nextStep: "done" }
  const steps = [task, { id: "done", name: "Done", type: "END" }]
  await post(`${url}/v1/definitions`, { id: "greeting", name: "Greeting", steps })
  await post(`${url}/v1/instances`, { definitionId: "greeting", variables: {} })
  const { jobs } = await post(`${url}/v1/jobs/poll`, { workerId: "me", jobTypes: ["greet"], waitSeconds: 5 })
  const [{ id, instanceId, leaseToken }] = jobs
  const db = new Database({ dsn, schema: "millrace", maxConnections: 2 })
  const holder = await db.dedicated()
  await holder.query(`begin; select from millrace.instances where id = '${instanceId}' for update`)
  const completed = post(`${url}/v1/jobs/${id}/complete`, { workerId: "me", leaseToken, variables: {} })
  const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
  await eventually(() => db.script(waiting)).toHaveLength(1)
  await holder.query("rollback")
  holder.release()
  await completed
  await db.close()
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
async function post(url: string, body: object): Promise<any> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  expect(response.status, url).toBeLessThan(300)
  const text = await response.text()
  return text ? JSON.parse(text) : undefined
}
