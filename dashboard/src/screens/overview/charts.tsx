// How it went: throughput, jobs, depths and dead letters over the window that the address names.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useMemo } from "react"
import { type Stats, statsQuery } from "../../api/stats.ts"
import { WindowChoice } from "../../chart/window-choice.tsx"
import { Card } from "../../kit/page.tsx"
import { Loaded } from "../../kit/states.tsx"
import { chartsOf } from "./chart-series.ts"

/** uPlot is not needed for the first paint. */
const Chart = lazy(async () => ({ default: (await import("../../chart/chart.tsx")).Chart }))

export function Charts() {
  const { window = "PT15M" } = useSearch({ from: "/" })
  const query = useQuery({ ...statsQuery(window), placeholderData: keepPreviousData })
  return (
    <section aria-labelledby="charts" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="charts" className="text-lg font-semibold">
          Over time
        </h2>
        <WindowChoice usual="PT15M" />
      </div>
      <Loaded query={query}>{(stats) => <ChartGrid stats={stats} />}</Loaded>
    </section>
  )
}

function ChartGrid({ stats }: { readonly stats: Stats }) {
  const charts = useMemo(() => chartsOf(stats), [stats])
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {charts.map(({ title, ...chart }) => (
        <Card key={title} title={title}>
          <Suspense fallback={<div className="h-46" />}>
            <Chart label={title} {...chart} />
          </Suspense>
        </Card>
      ))}
    </div>
  )
}
