// The charts: counts and gauges of a window, step by step, from the counter series.
import {
  COUNTERS,
  type Counts,
  GAUGES,
  type Gauges,
  readSeries,
  type SeriesPoint,
  type Span,
} from "../../store/observability/counter-series.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** Each window with the seconds it has and the span that it is drawn in. */
const WINDOWS = { PT15M: [900, 2], PT1H: [3_600, 10], P1D: [86_400, 300] } as const satisfies Record<
  string,
  [number, Span]
>

export type StatsWindow = keyof typeof WINDOWS
export const STATS_WINDOWS = Object.keys(WINDOWS) as StatsWindow[]

export interface StatsView {
  readonly window: StatsWindow
  readonly stepSeconds: Exclude<Span, 1>
  readonly from: string
  readonly to: string
  /** Oldest first, all of one length. A gauge is null until it was measured. */
  readonly series: Series
}

type Series = { readonly at: readonly number[] } & Readonly<Record<keyof Counts, readonly number[]>> &
  Readonly<Record<keyof Gauges, readonly (number | null)[]>>

/** Up to the last step that is over: one that has just begun would look like a fall. */
export async function readStats(kernel: Kernel, window: StatsWindow): Promise<StatsView> {
  const [seconds, stepSeconds] = WINDOWS[window]
  const { sinceMs, points } = await readSeries(kernel.db, stepSeconds, seconds)
  const since = sinceMs / 1_000
  return {
    window,
    stepSeconds,
    from: isoTime(sinceMs),
    to: isoTime(sinceMs + 1_000 * seconds),
    series: seriesOf(
      Array.from({ length: seconds / stepSeconds }, (_, step) => since + step * stepSeconds),
      points,
    ),
  }
}

function seriesOf(at: readonly number[], points: readonly SeriesPoint[]): Series {
  const byTime = new Map(points.map((point) => [point.atMs / 1_000, point]))
  const before = points.filter(({ atMs }) => atMs / 1_000 < (at[0] ?? 0)).at(-1)
  const counters = COUNTERS.map((name) => [name, at.map((time) => byTime.get(time)?.counts[name] ?? 0)])
  const gauges = GAUGES.map((name) => [
    name,
    carried(at, (time) => byTime.get(time)?.gauges?.[name], before?.gauges?.[name]),
  ])
  return Object.fromEntries([["at", at], ...counters, ...gauges]) as Series
}

/** A gauge that did not move was not written. */
function carried(
  at: readonly number[],
  valueAt: (time: number) => number | undefined,
  before: number | undefined,
): (number | null)[] {
  let last = before ?? null
  return at.map((time) => {
    last = valueAt(time) ?? last
    return last
  })
}
