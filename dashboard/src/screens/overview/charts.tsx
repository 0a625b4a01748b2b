// How it went: throughput, jobs, depths and dead letters over the window that the address names.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useMemo } from "react"
import { type Stats, statsQuery, WINDOWS, type Window } from "../../api/stats.ts"
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
        <h2 id="charts" className="text-base font-semibold">
          Over time
        </h2>
        <WindowChoice />
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

function WindowChoice() {
  return (
    <nav aria-label="How far back" className="border-line bg-surface flex rounded-md border p-0.5">
      {(Object.keys(WINDOWS) as Window[]).map((window) => (
        <Link
          key={window}
          to="/"
          search={window === "PT15M" ? {} : { window }}
          activeOptions={{ exact: true }}
          resetScroll={false}
          className="rounded px-3 py-1 hover:no-underline"
          activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
          inactiveProps={{ className: "text-muted hover:text-text" }}
        >
          {WINDOWS[window]}
        </Link>
      ))}
    </nav>
  )
}
