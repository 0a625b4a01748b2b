import { expect, test } from "vitest"
import type { TrafficPoint } from "../../api/guard/state.ts"
import { trafficSeries } from "./traffic-series.ts"

const NOW = Date.parse("2026-03-01T10:00:04.000Z")
const point = (at: string, counts: Partial<TrafficPoint>): TrafficPoint => ({
  at,
  allowed: 0,
  throttled: 0,
  soft_blocked: 0,
  hard_blocked: 0,
  shadowed: 0,
  ...counts,
})

test("spans without a request are zero, and requests are drawn per second at their time", () => {
  const { at, series } = trafficSeries([point("2026-03-01T09:59:50.000Z", { allowed: 40 })], "PT15M", NOW)
  expect(at).toHaveLength(90)
  expect(at.at(-2)).toBe(Date.parse("2026-03-01T09:59:50.000Z") / 1_000)
  const [allowed] = series
  expect(allowed?.values.slice(-3)).toEqual([0, 4, 0])
})

test("the span that still runs counts as long as it has run: a flood is seen while it begins", () => {
  const flood = [point("2026-03-01T10:01:00.000Z", { hard_blocked: 500 }), point("2026-03-01T10:01:10.000Z", {})]
  const { series } = trafficSeries(flood, "P1D", Date.parse("2026-03-01T10:01:40.000Z"))
  const refused = series.find(({ name }) => name === "refused until unblocked")
  expect(refused?.values.at(-1)).toBe(5)
})

test("the points of a longer window are added up, and those outside of it are left out", () => {
  const points = ["2026-03-01T09:41:00.000Z", "2026-03-01T09:49:50.000Z", "2026-02-27T00:00:00.000Z"].map((at) =>
    point(at, { soft_blocked: 300 }),
  )
  const { at, series } = trafficSeries(points, "P1D", NOW)
  const refused = series.find(({ name }) => name === "refused for a while")
  expect(at).toHaveLength(144)
  expect(refused?.values.slice(-3)).toEqual([1, 0, 0])
  expect(refused?.values.reduce<number>((sum, value) => sum + (value ?? 0), 0)).toBe(1)
})

test("every line has as many values as there are times, in every window", () => {
  for (const window of ["PT15M", "PT1H", "P1D"] as const) {
    const { at, series } = trafficSeries([], window, NOW)
    for (const { values } of series) expect(values).toHaveLength(at.length)
  }
})
