// One line of a chart.
import type { Value } from "./points.ts"
import type { ChartTone } from "./tones.ts"

export interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  /** As many as there are times. */
  readonly values: readonly Value[]
  /** So that it can be told from the others without its colour. */
  readonly dashed?: boolean
}
