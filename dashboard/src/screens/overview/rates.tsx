// What flows through the engine: a few large numbers per second, each with its last quarter of an hour.
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Rates } from "../../api/overview.ts"
import { type CounterName, type Stats, statsQuery } from "../../api/stats.ts"
import { meansOf } from "../../chart/points.ts"
import { Sparkline } from "../../chart/sparkline.tsx"
import type { ChartTone } from "../../chart/tones.ts"
import { cx } from "../../kit/classes.ts"
import { rate } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"

interface Flow {
  readonly name: CounterName
  readonly label: string
  readonly tone: ChartTone
}

const INSTANCES: readonly Flow[] = [
  { name: "started", label: "started", tone: "info" },
  { name: "completed", label: "completed", tone: "good" },
  { name: "failed", label: "failed", tone: "bad" },
]

const JOBS: readonly Flow[] = [
  { name: "jobsEnqueued", label: "enqueued", tone: "info" },
  { name: "jobsCompleted", label: "completed", tone: "good" },
  { name: "jobsFailed", label: "failed", tone: "bad" },
]

export function RateCards({ rates }: { readonly rates: Rates }) {
  const { data: stats } = useQuery(statsQuery("PT15M"))
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Instances per second">
        <Flows flows={INSTANCES} rates={rates} stats={stats} />
      </Card>
      <Card
        title="Jobs per second"
        actions={
          rates.rejected > 0 && (
            <p className="text-bad text-xs font-medium">{rate(rates.rejected)} refused per second</p>
          )
        }
      >
        <Flows flows={JOBS} rates={rates} stats={stats} />
      </Card>
    </div>
  )
}

interface FlowsProps {
  readonly flows: readonly Flow[]
  readonly rates: Rates
  readonly stats: Stats | undefined
}

const Flows = ({ flows, rates, stats }: FlowsProps) => (
  <dl className="grid grid-cols-3 gap-4">
    {flows.map((flow) => (
      <FlowNumber key={flow.name} flow={flow} value={rates[flow.name]} counts={stats?.series[flow.name] ?? NONE} />
    ))}
  </dl>
)

const NONE: readonly number[] = []
/** 15 steps of 2 s: half a minute. */
const STEPS_TOGETHER = 15

interface NumberProps {
  readonly flow: Flow
  readonly value: number
  readonly counts: readonly number[]
}

function FlowNumber({ flow: { label, tone }, value, counts }: NumberProps) {
  const trail = useMemo(() => meansOf(counts, STEPS_TOGETHER), [counts])
  return (
    <div className="flex min-w-0 flex-col-reverse gap-1">
      <dt className="text-muted text-xs">{label}</dt>
      <dd>
        <span className={cx("text-2xl font-semibold tabular-nums", tone === "bad" && value > 0 && "text-bad")}>
          {rate(value)}
        </span>
        <Sparkline values={trail} tone={trail.some((value) => value > 0) ? tone : "calm"} />
      </dd>
    </div>
  )
}
