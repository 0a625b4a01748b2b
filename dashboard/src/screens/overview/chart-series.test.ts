import { expect, test } from "vitest"
import type { Stats } from "../../api/stats.ts"
import { chartsOf } from "./chart-series.ts"

function statsOf(points: number, stepSeconds: Stats["stepSeconds"]): Stats {
  const zeros = Array.from({ length: points }, () => 0)
  const at = zeros.map((_, n) => n * stepSeconds)
  const names = ["started", "completed", "failed", "cancelled", "steps", "jobsEnqueued", "jobsCompleted", "jobsFailed"]
  const gauges = ["depthCritical", "depthHigh", "depthNormal", "leased", "deadLetters"]
  const rest = [...names, "jobsDead", "rejected", ...gauges].map((name) => [name, zeros])
  const series = { ...Object.fromEntries(rest), at, started: zeros.map(() => 6) } as Stats["series"]
  return { window: "PT15M", stepSeconds, from: "", to: "", series }
}

test("counts are drawn as rates, and no chart has more points than can be told apart", () => {
  const [throughput] = chartsOf(statsOf(450, 2))
  expect(throughput?.at).toHaveLength(150)
  expect(throughput?.series[0]).toMatchObject({ name: "started", values: Array(150).fill(3) })
})

test("every line has as many values as its chart has times", () => {
  for (const points of [450, 360, 288, 7, 0])
    for (const { at, series } of chartsOf(statsOf(points, 10)))
      for (const { values } of series) expect(values).toHaveLength(at.length)
})
