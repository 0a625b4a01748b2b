// Lines over time: drawn by uPlot in the theme's colours, as wide as its card, and said in words for those who do not see them.
import { useEffect, useMemo, useRef, useState } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { cx } from "../kit/classes.ts"
import { clockTime } from "../kit/time.tsx"
import { useIsDark } from "../shell/theme.ts"
import { optionsOf } from "./options.ts"
import { lastOf, type Value } from "./points.ts"
import type { ChartSeries } from "./series.ts"
import { type ChartTone, TEXT_OF } from "./tones.ts"

interface Props {
  readonly label: string
  /** In seconds since 1970, oldest first. */
  readonly at: readonly number[]
  readonly series: readonly ChartSeries[]
  /** A value as it is read: `3.2/s`. */
  readonly format: (value: number) => string
  /** True for things that are counted: the axis then has no fractions. */
  readonly isWhole?: boolean
}

export function Chart({ label, at, series, format, isWhole = false }: Props) {
  const [cursor, setCursor] = useState<number | undefined>()
  const place = usePlot({ at, series, isWhole, onCursor: setCursor })
  const summary = series.map(({ name, values }) => `${name} ${said(lastOf(values), format)}`).join(", ")
  const isPointed = cursor !== undefined && at[cursor] !== undefined
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 text-xs">
        {series.map(({ name, tone, values, dashed }) => (
          <span key={name} className="flex items-baseline gap-1.5">
            <LineMark tone={tone} dashed={dashed} />
            <span className="text-muted">{name}</span>
            <span className="font-medium">{said(isPointed ? values[cursor] : lastOf(values), format)}</span>
          </span>
        ))}
        {isPointed && <span className="text-muted ml-auto">{clockTime((at[cursor] ?? 0) * 1_000)}</span>}
      </div>
      <div
        role="img"
        aria-label={`${label}, latest: ${summary}`}
        ref={place}
        className="h-40 min-w-0 overflow-hidden"
      />
    </div>
  )
}

const said = (value: Value | undefined, format: Props["format"]): string => (value == null ? "–" : format(value))

function LineMark({ tone, dashed = false }: { readonly tone: ChartTone; readonly dashed?: boolean | undefined }) {
  return (
    <svg viewBox="0 0 12 4" aria-hidden="true" className={cx("w-3 self-center", TEXT_OF[tone])}>
      <path d="M0,2H12" stroke="currentColor" strokeWidth="2.5" strokeDasharray={dashed ? "3 2" : undefined} />
    </svg>
  )
}

/** The plot lives in the element of the returned reference; it is made anew only when its look changes. */
function usePlot({
  at,
  series,
  isWhole = false,
  onCursor,
}: Omit<Props, "label" | "format"> & { readonly onCursor: (index: number | undefined) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const isDark = useIsDark()
  const data = useMemo(() => [at, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData, [at, series])
  const newest = useRef({ data, series })
  newest.current = { data, series }
  const look = series.map(({ name, tone, dashed }) => `${name} ${tone} ${dashed}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme or other lines need another plot; data does not.
  useEffect(() => {
    const element = place.current as HTMLDivElement
    const { data, series } = newest.current
    const made = new uPlot(
      { ...optionsOf({ series, isWhole, onCursor }), width: element.clientWidth, height: element.clientHeight },
      data,
      element,
    )
    plot.current = made
    const fit = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: element.clientHeight }))
    fit.observe(element)
    return () => {
      fit.disconnect()
      made.destroy()
    }
  }, [isDark, look])
  useEffect(() => plot.current?.setData(data), [data])
  return place
}
