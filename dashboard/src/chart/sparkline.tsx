// A small line without axes, beside a number that says the rest.
import { useMemo } from "react"
import { cx } from "../kit/classes.ts"
import { pathOf, type Value } from "./points.ts"
import { type ChartTone, TEXT_OF } from "./tones.ts"

/** A line that is known for less than this part of its time would be a speck. */
const LEAST = 1 / 4
const WIDTH = 120
const HEIGHT = 24

export function Sparkline({ values, tone }: { readonly values: readonly Value[]; readonly tone: ChartTone }) {
  const path = useMemo(() => {
    const known = values.filter((value) => value !== null).length
    return known > 0 && known >= values.length * LEAST ? pathOf(values, { width: WIDTH, height: HEIGHT - 2 }) : ""
  }, [values])
  return (
    <svg
      viewBox={`0 -1 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={cx("h-6 w-full", TEXT_OF[tone])}
    >
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
