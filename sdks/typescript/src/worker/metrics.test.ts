// C-114: the metrics of a worker.
import { expect, test } from "vitest"
import { useBench } from "../test-support/bench.ts"
import { sampleJob, Tally } from "../test-support/samples.ts"
import { SdkMetrics } from "./metrics.ts"

const bench = useBench()

test("C-114: exactly the five names, in Prometheus' text format", () => {
  const types = [...new SdkMetrics().metricsText().matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [
    name,
    type,
  ])
  expect(types).toEqual([
    ["workflow_sdk_poll_latency_seconds", "histogram"],
    ["workflow_sdk_lock_conflicts_total", "counter"],
    ["workflow_sdk_handler_latency_seconds", "histogram"],
    ["workflow_sdk_retries_total", "counter"],
    ["workflow_sdk_jobs_completed_total", "counter"],
  ])
})

test("C-114: buckets are cumulative and labels are escaped", () => {
  const metrics = new SdkMetrics()
  for (const seconds of [0.0005, 0.03, 1000]) metrics.handled('a"b\\c\nd', seconds)
  const lines = metrics.metricsText().split("\n")
  const label = 'job_type="a\\"b\\\\c\\nd"'
  expect(lines).toContain(`workflow_sdk_handler_latency_seconds_bucket{${label},le="0.001"} 1`)
  expect(lines).toContain(`workflow_sdk_handler_latency_seconds_bucket{${label},le="0.05"} 2`)
  expect(lines).toContain(`workflow_sdk_handler_latency_seconds_bucket{${label},le="300"} 2`)
  expect(lines).toContain(`workflow_sdk_handler_latency_seconds_bucket{${label},le="+Inf"} 3`)
  expect(lines).toContain(`workflow_sdk_handler_latency_seconds_count{${label}} 3`)
})

test("C-114: a runner counts polls, handlers, outcomes and retries by job type", async () => {
  const done = new Tally<string>()
  const hooks = {
    onJobCompleted: ({ outcome }: { outcome: string }) => done.add(outcome),
    onHandler: () => {
      throw new Error("a hook that breaks harms nobody")
    },
  }
  const runner = bench.run(({ variables }) => (variables.fail ? Promise.reject(new Error("no")) : {}), {
    metrics: new SdkMetrics(hooks),
  })
  bench.engine.offer(sampleJob(), sampleJob({ variables: { fail: true } }), sampleJob())
  await done.reach(3)
  const text = runner.metricsText()
  expect(text).toContain('workflow_sdk_jobs_completed_total{job_type="charge-card",outcome="success"} 2')
  expect(text).toContain('workflow_sdk_jobs_completed_total{job_type="charge-card",outcome="failure"} 1')
  expect(text).toContain('workflow_sdk_retries_total{job_type="charge-card"} 1')
  expect(text).toContain('workflow_sdk_handler_latency_seconds_count{job_type="charge-card"} 3')
  expect(text).toMatch(/workflow_sdk_poll_latency_seconds_count [1-9]/)
  expect(text).toContain("workflow_sdk_lock_conflicts_total 0")
})
