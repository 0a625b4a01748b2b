// The pace of the downstreams: started per second and in flight against their limits, and who asked to be left alone.
import { Link } from "@tanstack/react-router"
import type { DownstreamPace } from "../../api/overview.ts"
import { count, rate } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { Progress } from "../../kit/progress.tsx"
import { Badge } from "../../kit/status.tsx"
import { Ago } from "../../kit/time.tsx"

/** The busiest; the others are on the screen of the queues. */
const SHOWN = 5

export function DownstreamsCard({ downstreams }: { readonly downstreams: readonly DownstreamPace[] }) {
  const more = downstreams.length - SHOWN
  return (
    <Card title={<Link to="/queues">Downstreams</Link>} className="flex-1">
      {downstreams.length === 0 && (
        <p className="text-muted">
          No job has named a system that it calls. One that does is given its pace here: so many a second, so many at
          once.
        </p>
      )}
      <ul className="flex flex-col gap-4">
        {downstreams.slice(0, SHOWN).map((pace) => (
          <Pace key={pace.name} pace={pace} />
        ))}
      </ul>
      {more > 0 && (
        <p className="mt-3">
          <Link to="/queues">{count(more)} more</Link>
        </p>
      )}
    </Card>
  )
}

function Pace({ pace }: { readonly pace: DownstreamPace }) {
  const { name, paused, pushedBackUntil } = pace
  return (
    <li className="flex flex-col gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">{name}</span>
        {paused && <Badge tone="warn">paused</Badge>}
        {pushedBackUntil !== undefined && (
          <Badge tone="bad">
            pushed back, opens <Ago at={pushedBackUntil} />
          </Badge>
        )}
      </p>
      <div className="grid grid-cols-2 gap-4">
        <Use label={`Started per second to ${name}`} unit="/s" used={pace.startedPerSecond} limit={pace.perSecond} />
        <Use
          label={`In flight to ${name}`}
          unit=" in flight"
          used={pace.inFlight}
          limit={pace.concurrency}
          format={count}
        />
      </div>
    </li>
  )
}

interface UseProps {
  readonly label: string
  readonly unit: string
  readonly used: number | undefined
  readonly limit: number | undefined
  readonly format?: (value: number) => string
}

/** How much of a limit is used; without a limit, just how much. */
function Use({ label, unit, used = 0, limit, format = rate }: UseProps) {
  return (
    <div className="flex flex-col gap-1">
      {limit !== undefined && (
        <Progress label={label} value={used} max={limit} tone={used >= limit ? "warn" : "accent"} />
      )}
      <p className="text-muted text-xs">
        <span className="text-text font-medium">{format(used)}</span>
        {limit === undefined ? `${unit}, no limit` : ` of ${count(limit)}${unit}`}
      </p>
    </div>
  )
}
