// Requests per second by verdict, over the window that the address names.
import { lazy, Suspense, useMemo } from "react"
import type { TrafficPoint } from "../../api/guard/state.ts"
import type { Window } from "../../api/stats.ts"
import { WindowChoice } from "../../chart/window-choice.tsx"
import { rate } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { trafficSeries } from "./traffic-series.ts"

const Chart = lazy(async () => ({ default: (await import("../../chart/chart.tsx")).Chart }))

interface Props {
  readonly points: readonly TrafficPoint[]
  readonly window: Window
}

export function Traffic({ points, window }: Props) {
  // Read anew every ten seconds, which moves the window on.
  const chart = useMemo(() => trafficSeries(points, window, Date.now()), [points, window])
  return (
    <Card title="Requests per second, by verdict" actions={<WindowChoice usual="PT1H" />}>
      <Suspense fallback={<div className="h-46" />}>
        <Chart label="Requests per second, by verdict" {...chart} format={rate} />
      </Suspense>
    </Card>
  )
}
