// The guide to dispatch through Kafka: it has what an operator needs, and names nothing that is not there.
import { expect, test } from "vitest"
import { parse } from "yaml"
import { dispatchMetrics } from "../engine/src/support/event-metrics.ts"
import { createMetrics } from "../engine/src/support/metrics.ts"
import { read } from "./files.ts"

const guide = read("docs/guides/kafka.md")
const named = (pattern: RegExp): string[] => [...new Set(guide.match(pattern) ?? [])]

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}
const alerts = (parse(read("deploy/prometheus/rules.yml")) as Rules).groups.flatMap(({ rules }) => rules)

test("C-126: the trade-off comes first, then enable, verify, roll back, and what to do when something is wrong", () => {
  const titles = guide.match(/^## .+$/gm)
  expect(titles).toEqual(
    ["Should you?", "Enable", "Verify", "Roll back", "The message", "When something is wrong"].map(
      (one) => `## ${one}`,
    ),
  )
  expect(guide).toContain("| | polling | kafka_outbox |")
})

test("C-103: it says when to stay with polling, and by which sign to leave it", () => {
  const advice = guide.slice(guide.indexOf("## Should you?"), guide.indexOf("| | polling"))
  expect(advice).toContain("workflow_engine_job_lock_conflicts_total")
  expect(advice).toContain("your team runs Kafka already")
})

test("C-126: every setting, alert and metric that it names is there", () => {
  const settings = read(".env.example")
  expect(named(/\bWE_[A-Z_]+/g).filter((name) => !settings.includes(name))).toEqual([])
  const known = alerts.map(({ alert }) => alert)
  expect(named(/\bMillrace[A-Z]\w+/g).filter((name) => !known.includes(name))).toEqual([])
  const { registry } = createMetrics()
  const before = registry.getMetricsAsArray().map(({ name }) => name)
  dispatchMetrics(registry)
  const metrics = [...before, ...registry.getMetricsAsArray().map(({ name }) => name)]
  const asked = named(/\bworkflow_engine_\w+/g).filter((name) => name !== "workflow_engine_dispatch")
  expect(asked.filter((name) => !metrics.includes(name))).toEqual([])
})

test("C-124: every alert about dispatch is in the table of what to do", () => {
  const ofKafka = alerts.filter(({ expr }) => /workflow_engine_(dispatch|kafka)_/.test(expr)).map(({ alert }) => alert)
  expect(ofKafka.length).toBeGreaterThan(3)
  expect(ofKafka.filter((alert) => !guide.includes(`\`${alert}\``))).toEqual([])
})
