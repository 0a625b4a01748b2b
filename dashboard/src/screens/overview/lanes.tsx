// The lanes against their watermarks, how long their oldest waits, and whether new jobs are refused.
import { Link } from "@tanstack/react-router"
import type { Gate, Lane } from "../../api/overview.ts"
import { DepthBar, refusal } from "../../kit/depth-bar.tsx"
import { Card } from "../../kit/page.tsx"
import { Badge } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"

interface Props {
  readonly lanes: readonly Lane[]
  readonly total: Gate
}

export function LanesCard({ lanes, total }: Props) {
  return (
    <Card
      title={<Link to="/queues">Lanes</Link>}
      actions={<Backpressure shut={[...lanes, { ...total, name: "total" }].filter(({ shut }) => shut)} />}
    >
      <ul className="flex flex-col gap-4">
        {lanes.map((lane) => (
          <li key={lane.name} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="flex items-center gap-2">
                <span className="font-medium">{lane.name}</span>
                {lane.paused && <Badge tone="warn">paused</Badge>}
              </span>
              <span className="text-muted text-xs">{oldestText(lane)}</span>
            </p>
            <GateState name={lane.name} gate={lane} />
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

const oldestText = ({ oldestWaitingSeconds: oldest }: Lane): string =>
  oldest === null ? "nobody waits" : `oldest waits ${durationText(oldest * 1_000)}`

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
