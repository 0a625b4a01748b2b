// The nine routes of the queue, and the settings behind them.
import { expect, test } from "vitest"
import { loadConfig } from "../../../config.ts"
import { everyRoute } from "../../rest/test-support/every-route.ts"

test("D-09: the nine routes are there, each with a permission", () => {
  const named = new Map(everyRoute.map((route) => [`${route.method} ${route.path}`, route.permission]))
  const nine = [
    "POST /jobs",
    "GET /jobs/{jobId}",
    "GET /queues/metrics",
    "PATCH /queues/weights",
    "GET /queues/weights",
    "DELETE /queues/weights",
    "POST /queues/dlq/{deadLetterId}/replay",
    "GET /health",
    "GET /metrics",
  ]
  expect(nine.filter((name) => named.get(name) === undefined)).toEqual([])
})

test("D-10, D-T4: the settings of the queue and their defaults; weights are 100 in all, high is above low", () => {
  const config = loadConfig({ env: {} })
  expect(config).toMatchObject({
    highWatermark: 10_000,
    lowWatermark: 2_000,
    weights: { critical: 60, high: 30, normal: 10 },
    jobRetries: 5,
    jobTimeoutMs: 30_000,
  })
  expect(() => loadConfig({ env: { WE_HIGH_WATERMARK: "10", WE_LOW_WATERMARK: "20" } })).toThrow()
  expect(() => loadConfig({ env: { WE_QUEUE_WEIGHTS: "50,30,10" } })).toThrow()
})
