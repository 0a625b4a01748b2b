// The three priorities and all together: how many jobs wait, how long the oldest, whether the gate is shut; pause and resume.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useOverview } from "../../api/live.ts"
import type { Gate, Priority, PriorityInView } from "../../api/overview.ts"
import { type Pause, pausesQuery } from "../../api/pauses.ts"
import { useMay } from "../../api/session.ts"
import { type GaugeName, type Stats, statsQuery } from "../../api/stats.ts"
import { Sparkline } from "../../chart/sparkline.tsx"
import { Button } from "../../kit/button.tsx"
import { Words } from "../../kit/cut-text.tsx"
import { DepthBar, refusal } from "../../kit/depth-bar.tsx"
import { rate } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { Loading } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"
import { Changed } from "./changed.tsx"
import { PauseDialog, ResumeDialog } from "./pause-dialog.tsx"
import { pauseFor } from "./pause-words.ts"

const DEPTH_OF: Readonly<Record<Priority, GaugeName>> = {
  critical: "depthCritical",
  high: "depthHigh",
  normal: "depthNormal",
}

export function PrioritiesCard() {
  const overview = useOverview()
  const { data: stats } = useQuery(statsQuery("PT15M"))
  const { data: pauses } = useQuery(pausesQuery)
  if (!overview) return <Loading />
  const { rates, lanes, total } = overview
  return (
    <Card
      title="Priorities"
      actions={
        <p className="text-muted text-xs">
          {rate(rates.jobsEnqueued)} enqueued, {rate(rates.jobsCompleted)} completed, {rate(rates.jobsFailed)} failed
          per second
        </p>
      }
    >
      <ul className="divide-line flex flex-col divide-y">
        {lanes.map((one) => (
          <PriorityRow key={one.name} priority={one} stats={stats} pause={pauseFor(pauses, "queue", one.name)} />
        ))}
        <li className="grid gap-x-6 gap-y-1 pt-3 md:grid-cols-[8rem_minmax(0,1fr)_19rem] md:items-center">
          <span className="flex items-center gap-2">
            <span className="font-medium">total</span>
            {total.shut && <Badge tone="bad">refusing</Badge>}
          </span>
          <DepthBar name="all priorities" gate={total} />
          <Refusal name="total" gate={total} />
        </li>
      </ul>
    </Card>
  )
}

const Refusal = ({ name, gate }: { readonly name: string; readonly gate: Gate }) =>
  gate.shut && <p className="text-bad md:col-start-2">{refusal(name, gate)}</p>

interface RowProps {
  readonly priority: PriorityInView
  readonly stats: Stats | undefined
  readonly pause: Pause | undefined
}

function PriorityRow({ priority, stats, pause }: RowProps) {
  const { name, shut, weight, oldestWaitingSeconds: oldest } = priority
  return (
    <li className="grid gap-x-6 gap-y-1 py-3 first:pt-0 md:grid-cols-[8rem_minmax(0,1fr)_19rem] md:items-center">
      <div>
        <p className="flex flex-wrap items-center gap-2">
          <Link to="/jobs" search={{ priority: name }} className="font-medium">
            {name}
          </Link>
          {shut && <Badge tone="bad">refusing</Badge>}
          {(pause ?? priority.paused) && <Badge tone="warn">paused</Badge>}
        </p>
        <p className="text-muted text-xs">{weight} of 100 claims</p>
      </div>
      <DepthBar name={name} gate={priority} />
      <div className="flex items-center justify-between gap-3">
        <div className="w-16 shrink-0" title="Depth over 15 minutes">
          <Sparkline values={stats?.series[DEPTH_OF[name]] ?? []} tone="accent" />
        </div>
        <p className="text-muted flex-1 text-right text-xs whitespace-nowrap">
          {oldest === null ? "no job waits" : `oldest waits ${durationText(oldest * 1_000)}`}
        </p>
        <PauseButton name={name} pause={pause} />
      </div>
      <Refusal name={name} gate={priority} />
      {pause && (
        <p className="text-xs md:col-start-2">
          <Changed verb="Paused" at={pause.pausedAt} by={pause.pausedBy} otherwise="" />
          {pause.reason !== undefined && (
            <>
              : <Words text={pause.reason} />
            </>
          )}
        </p>
      )}
    </li>
  )
}

function PauseButton({ name, pause }: { readonly name: Priority; readonly pause: Pause | undefined }) {
  const [isOpen, setIsOpen] = useState(false)
  const may = useMay("queues:write")
  if (!may) return null
  const close = () => setIsOpen(false)
  return (
    <>
      <Button
        className="py-1"
        aria-label={`${pause ? "Resume" : "Pause"} priority ${name}`}
        onClick={() => setIsOpen(true)}
      >
        {pause ? "Resume" : "Pause"}
      </Button>
      {isOpen &&
        (pause ? (
          <ResumeDialog target={pause} onClose={close} />
        ) : (
          <PauseDialog target={{ kind: "queue", name }} onClose={close} />
        ))}
    </>
  )
}
