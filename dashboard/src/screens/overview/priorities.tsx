// How many jobs of each priority wait, against their watermarks; how long the oldest has waited; whether new ones are refused.
import { Link } from "@tanstack/react-router"
import type { Gate, PriorityInView } from "../../api/overview.ts"
import { DepthBar, refusal } from "../../kit/depth-bar.tsx"
import { Card } from "../../kit/page.tsx"
import { Badge } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"

interface Props {
  readonly priorities: readonly PriorityInView[]
  readonly total: Gate
}

export function PrioritiesCard({ priorities, total }: Props) {
  return (
    <Card
      title={<Link to="/queues">Priorities</Link>}
      actions={<Backpressure shut={[...priorities, { ...total, name: "total" }].filter(({ shut }) => shut)} />}
    >
      <ul className="flex flex-col gap-4">
        {priorities.map((one) => (
          <li key={one.name} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="flex items-center gap-2">
                <span className="font-medium">{one.name}</span>
                {one.paused && <Badge tone="warn">paused</Badge>}
              </span>
              <span className="text-muted text-xs">{oldestText(one)}</span>
            </p>
            <GateState name={one.name} gate={one} />
          </li>
        ))}
        <li className="border-line flex flex-col gap-1 border-t pt-3">
          <p className="font-medium">total</p>
          <GateState name="total" gate={total} />
        </li>
      </ul>
    </Card>
  )
}

const oldestText = ({ oldestWaitingSeconds: oldest }: PriorityInView): string =>
  oldest === null ? "no job waits" : `oldest waits ${durationText(oldest * 1_000)}`

const GateState = ({ name, gate }: { readonly name: string; readonly gate: Gate }) => (
  <>
    <DepthBar name={name} gate={gate} />
    {gate.shut && <p className="text-bad font-medium">{refusal(name, gate)}</p>}
  </>
)

function Backpressure({ shut }: { readonly shut: readonly { readonly name: string }[] }) {
  if (shut.length === 0) return <Badge tone="good">all jobs are accepted</Badge>
  const isAll = shut.some(({ name }) => name === "total") || shut.length === 3
  return (
    <Badge tone="bad">{isAll ? "all jobs are refused" : `${shut.map(({ name }) => name).join(", ")} refused`}</Badge>
  )
}
