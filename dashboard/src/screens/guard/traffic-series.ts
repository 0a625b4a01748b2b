// Requests by verdict as the lines of a chart: spans without a request are zero, and a day has no more points than an hour can show.
import type { TrafficPoint } from "../../api/guard/state.ts"
import type { Window } from "../../api/stats.ts"
import type { ChartSeries } from "../../chart/series.ts"

interface Span {
  readonly seconds: number
  readonly points: number
}

const SPANS: Readonly<Record<Window, Span>> = {
  PT15M: { seconds: 10, points: 90 },
  PT1H: { seconds: 30, points: 120 },
  P1D: { seconds: 600, points: 144 },
}

type Verdict = Exclude<keyof TrafficPoint, "at">

const LINES: readonly (readonly [Verdict, string, ChartSeries["tone"], dashed?: true])[] = [
  ["allowed", "allowed", "good"],
  ["throttled", "slowed", "warn"],
  ["soft_blocked", "refused for a while", "bad", true],
  ["hard_blocked", "refused until unblocked", "bad"],
  ["shadowed", "would be refused", "calm", true],
]

interface Traffic {
  readonly at: readonly number[]
  /** Requests per second. */
  readonly series: readonly ChartSeries[]
}

/** The engine stores ten seconds at a time: less of a span than that has not been seen yet. */
const SHORTEST = 10

export function trafficSeries(points: readonly TrafficPoint[], window: Window, now: number): Traffic {
  const { seconds, points: count } = SPANS[window]
  const first = Math.floor(now / 1_000 / seconds) - count + 1
  const sums = new Map(LINES.map(([verdict]) => [verdict, Array.from({ length: count }, () => 0)]))
  for (const point of points) {
    const index = Math.floor(Date.parse(point.at) / 1_000 / seconds) - first
    if (index < 0 || index >= count) continue
    for (const [verdict, values] of sums) values[index] = (values[index] ?? 0) + point[verdict]
  }
  // The span that still runs is as long as it has run: a flood is seen while it begins.
  const running = Math.max(SHORTEST, (now / 1_000) % seconds)
  return {
    at: Array.from({ length: count }, (_, index) => (first + index) * seconds),
    series: LINES.map(([verdict, name, tone, dashed]) => ({
      name,
      tone,
      ...(dashed ? { dashed } : {}),
      values: (sums.get(verdict) ?? []).map((requests, index) => requests / (index === count - 1 ? running : seconds)),
    })),
  }
}
