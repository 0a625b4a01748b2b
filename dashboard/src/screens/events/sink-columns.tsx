// What the table of sinks shows of each.

import { Link } from "@tanstack/react-router"
import type { Sink } from "../../api/events.ts"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { count, rate } from "../../kit/numbers.ts"
import { Standing } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Ago, durationText } from "../../kit/time.tsx"

export const SINK_COLUMNS: readonly Column<Sink>[] = [
  {
    name: "Sink",
    className: "min-w-40",
    cell: ({ name, kind }) => (
      <>
        <CutName text={name} className="font-medium" />
        <span className="text-muted block text-xs">{kind}</span>
      </>
    ),
  },
  { name: "State", className: "min-w-32", cell: (sink) => <State sink={sink} /> },
  { name: "Waiting", align: "right", cell: ({ depth }) => count(depth) },
  {
    name: "Oldest",
    align: "right",
    cell: ({ lagSeconds }) => (lagSeconds > 0 ? durationText(1_000 * lagSeconds) : "–"),
  },
  { name: "Per second", align: "right", cell: ({ perSecond }) => rate(perSecond) },
  { name: "Parked", align: "right", cell: (sink) => <Parked sink={sink} /> },
  { name: "Leader", cell: ({ leader }) => <code className="text-xs break-all">{leader ?? "none"}</code> },
  { name: "Last moved", cell: ({ movedAt }) => <Ago at={movedAt} /> },
]

/** A sink that takes nothing says why, and when it is asked again. */
function State({ sink: { failures, lastError, retryAt, leader } }: { readonly sink: Sink }) {
  if (failures > 0)
    return (
      <>
        <Standing tone="bad">takes nothing</Standing>
        <span className="text-muted block text-xs">
          <Words text={String(lastError)} />; again <Ago at={retryAt} />
        </span>
      </>
    )
  return leader === undefined ? (
    <Standing tone="bad">no process sends</Standing>
  ) : (
    <Standing tone="good">is sent to</Standing>
  )
}

const Parked = ({ sink: { name, parked } }: { readonly sink: Sink }) =>
  parked === 0 ? (
    <>0</>
  ) : (
    <Link to="/events" search={{ sink: name }} className="text-warn font-medium" title={`Parked for ${name}`}>
      {count(parked)}
    </Link>
  )
