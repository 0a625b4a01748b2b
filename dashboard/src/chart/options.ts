// How uPlot draws our charts: quiet axes from zero, no legend of its own, one cursor for all charts of a page.
import type uPlot from "uplot"
import { short } from "../kit/numbers.ts"
import type { ChartSeries } from "./series.ts"
import { colourOf } from "./tones.ts"

const FONT = '12px "Inter Variable", system-ui, sans-serif'
const HOURS = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

/** 0.1, 0.2, 0.5, 1, 2, 5, 10 …: what an axis may go up by. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((digit) => (digit * 10 ** power) / 10)).flat()
const WHOLE_STEPS = STEPS.filter(Number.isInteger)

interface Look {
  readonly series: readonly ChartSeries[]
  /** True for things that are counted: the axis then has no fractions. */
  readonly isWhole: boolean
  readonly onCursor: (index: number | undefined) => void
}

export function optionsOf({ series, isWhole, onCursor }: Look): Omit<uPlot.Options, "width" | "height"> {
  const axis = { stroke: colourOf("muted"), font: FONT, ticks: { show: false }, gap: 6 }
  return {
    // Half of a time of day fits beside the last moment.
    padding: [8, 20, 0, 0],
    legend: { show: false },
    // Hovering one chart points at the same moment in all.
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, sync: { key: "millrace" }, points: { size: 6 } },
    scales: { x: { time: true }, y: { range: (_plot, _min, max) => [0, roomFor(max)] } },
    axes: [
      { ...axis, size: 24, space: 64, grid: { show: false }, values: (_plot, splits) => splits.map(hourOf) },
      {
        ...axis,
        size: 48,
        space: 30,
        incrs: isWhole ? WHOLE_STEPS : STEPS,
        grid: { stroke: colourOf("line"), width: 1 },
        values: (_plot, splits) =>
          splits.map((value) => (value < 10 ? String(Math.round(value * 10) / 10) : short(value))),
      },
    ],
    series: [{}, ...series.map(lineOf)],
    hooks: { setLegend: [(plot) => onCursor(plot.cursor.idx ?? undefined)] },
  }
}

const hourOf = (seconds: number): string => HOURS.format(new Date(seconds * 1_000))

/** A line that never moves from zero lies on the ground, not in the middle. */
const roomFor = (max: number | null): number => Math.max(1, (max ?? 0) * 1.1)

const lineOf = ({ name, tone, dashed = false }: ChartSeries): uPlot.Series => ({
  label: name,
  stroke: colourOf(tone),
  width: 1.5,
  points: { show: false },
  ...(dashed ? { dash: [4, 3] } : {}),
})
