// Which lines each chart of the overview has, from the counter series.
import type { CounterName, Stats } from "../../api/stats.ts"
import { lastsOf, meansOf, perSecond } from "../../chart/points.ts"
import type { ChartSeries } from "../../chart/series.ts"
import { rate, short } from "../../kit/numbers.ts"

interface ChartSpec {
  readonly title: string
  readonly at: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  readonly isWhole?: boolean
}

/** More points than this are noise on a card of half the page. */
const MOST_POINTS = 180

type Line = readonly [name: string, counter: CounterName, tone: ChartSeries["tone"], dashed?: boolean]

const THROUGHPUT: readonly Line[] = [
  ["started", "started", "info"],
  ["completed", "completed", "good"],
  ["failed", "failed", "bad", true],
]

const JOBS: readonly Line[] = [
  ["enqueued", "jobsEnqueued", "info"],
  ["completed", "jobsCompleted", "good"],
  ["failed", "jobsFailed", "bad", true],
  ["refused", "rejected", "warn", true],
]

export function chartsOf({ series, stepSeconds }: Stats): readonly ChartSpec[] {
  const size = Math.ceil(series.at.length / MOST_POINTS)
  const rates = (lines: readonly Line[]): Pick<ChartSpec, "at" | "series" | "format"> => ({
    at: lastsOf(series.at, size),
    series: lines.map(([name, counter, tone, dashed]) => ({
      name,
      tone,
      ...(dashed ? { dashed } : {}),
      values: meansOf(perSecond(series[counter], stepSeconds), size),
    })),
    format: rate,
  })
  return [
    { title: "Instances per second", ...rates(THROUGHPUT) },
    { title: "Jobs per second", ...rates(JOBS) },
    {
      title: "Jobs that wait, by priority",
      at: series.at,
      series: [
        { name: "critical", tone: "bad", values: series.depthCritical },
        { name: "high", tone: "warn", values: series.depthHigh, dashed: true },
        { name: "normal", tone: "accent", values: series.depthNormal },
      ],
      format: short,
      isWhole: true,
    },
    {
      title: "Dead letters",
      at: series.at,
      series: [{ name: "dead letters", tone: "bad", values: series.deadLetters }],
      format: short,
      isWhole: true,
    },
  ]
}
