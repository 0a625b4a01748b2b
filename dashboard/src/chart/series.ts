// One line of a chart.
import type { Value } from "./points.ts"
import type { ChartTone } from "./tones.ts"

export interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  /** One value for each time. */
  readonly values: readonly Value[]
  /** A dashed line can be told from the others without its colour. */
  readonly dashed?: boolean
}
