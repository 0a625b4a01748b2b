// The flattened curve as an SVG: arrivals per second above, calls per second below, on one time axis.

import { percentile } from "./percentile.ts"
import { type Bar, plot } from "./plot.ts"
import { STYLE } from "./plot-style.ts"
import type { SpikeReport } from "./run-spike.ts"

const WIDTH = 860
const HEIGHT = 486

export interface CurveData {
  /** By second, from the first arrival on. */
  readonly arrivals: readonly number[]
  readonly calls: readonly number[]
  /** In seconds after the first arrival. */
  readonly losses: readonly number[]
}

export function dataOf({ sent, stats, lostAt, drainedMs }: SpikeReport): CurveData {
  const start = Math.min(...Object.keys(sent.perSecond).map(Number))
  const seconds = Array.from({ length: Math.max(1, Math.floor(drainedMs / 1000)) }, (_, at) => start + at)
  const callsIn = (second: number) =>
    Object.values(stats).reduce((sum, { perSecond }) => sum + (perSecond[second] ?? 0), 0)
  return {
    arrivals: seconds.map((second) => sent.perSecond[second] ?? 0),
    calls: seconds.map(callsIn),
    losses: lostAt.map((at) => at - start).filter((second) => second >= 0 && second <= seconds.length),
  }
}

export function drawCurve(report: SpikeReport): string {
  const { arrivals, calls, losses } = dataOf(report)
  const { submissions, workers, concurrency } = report.options
  const peak = Math.max(...arrivals)
  const median = percentile(calls, 0.5)
  const perRun = calls.reduce((sum, count) => sum + count, 0) / report.distinct
  const x = { from: 70, to: WIDTH - 24, seconds: arrivals.length }
  const bars = (values: readonly number[]): Bar[] => values.map((value, second) => ({ second, value }))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<title id="title">${text(submissions)} submissions arrive in a spike; the services are called at a constant rate</title>
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="6"/>
<text class="head" x="24" y="32">${text(submissions)} submissions arrive in a spike, the services see a flat line</text>
${legend(24, 56)}
${plot({ kind: "arrivals", unit: "submissions per second", top: 92, bottom: 232, x, bars: bars(arrivals), mark: { value: peak, label: `peak ${text(peak)}/s` } })}
${plot({ kind: "calls", unit: "calls per second", top: 276, bottom: 416, x, bars: bars(calls), mark: { value: median, label: `median ${text(median)}/s` }, losses })}
<text class="axis" x="${(x.from + x.to) / 2}" y="450" text-anchor="middle">seconds since the first arrival</text>
<text class="note" x="24" y="470">${workers} workers × ${concurrency} at a time. Called on arrival, the services would have seen ${text(peak * perRun)} calls per second at the peak.</text>
</svg>
`
}

const legend = (x: number, y: number): string =>
  [
    `<rect class="arrivals" x="${x}" y="${y - 10}" width="14" height="10"/><text class="axis" x="${x + 20}" y="${y}">arrivals, duplicates included</text>`,
    `<rect class="calls" x="${x + 222}" y="${y - 10}" width="14" height="10"/><text class="axis" x="${x + 242}" y="${y}">calls to the six services</text>`,
    `<path class="loss" d="M${x + 432} ${y - 11}v12"/><text class="axis" x="${x + 441}" y="${y}">a worker is killed with -9</text>`,
  ].join("\n")

const text = (value: number): string => Math.round(value).toLocaleString("en")
