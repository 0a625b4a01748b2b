// Downstreams: how fast and how many at once each may be given work, how that stands, and another limit.

import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type Downstream, downstreamsQuery } from "../../api/downstreams.ts"
import { useOverview } from "../../api/live.ts"
import { pausesQuery } from "../../api/pauses.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Changed } from "./changed.tsx"
import { Actions, type Asked, hasLimits, Pace, type Row, Standing } from "./downstream-cells.tsx"
import { LimitsDialog } from "./limits-dialog.tsx"
import { PauseDialog, ResumeDialog } from "./pause-dialog.tsx"
import { pauseFor } from "./pause-words.ts"
import { RemoveLimits } from "./remove-limits.tsx"

export function DownstreamsCard() {
  const query = useQuery({ ...downstreamsQuery, meta: { live: true } })
  const { data: pauses } = useQuery(pausesQuery)
  const paces = useOverview()?.downstreams
  const [asked, setAsked] = useState<Asked | undefined>()
  const may = useMay("queues:write")
  const rowOf = (downstream: Downstream): Row => ({
    ...downstream,
    startedPerSecond: paces?.find(({ name }) => name === downstream.name)?.startedPerSecond,
    pause: pauseFor(pauses, "downstream", downstream.name),
  })
  return (
    <Card
      title="Downstreams"
      flush
      actions={may && <Button onClick={() => setAsked({ what: "limits" })}>Limit a downstream…</Button>}
    >
      <Loaded query={query}>
        {(downstreams) =>
          downstreams.length === 0 ? (
            <Empty title="No job has named a downstream." code={may ? SET_LIMITS : undefined}>
              A job that calls another system can name it (<code>"downstream": "mail"</code>). Here it is given its
              pace: so many a second, so many at once.
            </Empty>
          ) : (
            <Table
              caption="Downstreams and their limits"
              columns={columns(may, setAsked)}
              rows={downstreams.map(rowOf)}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loaded>
      {asked && <Dialogs asked={asked} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}

const SET_LIMITS = "millrace downstreams set mail --per-second 50 --concurrency 10"

function Dialogs({ asked: { what, row }, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  if (what === "limits" || !row) return <LimitsDialog downstream={row} onClose={onClose} />
  if (what === "remove") return <RemoveLimits name={row.name} onClose={onClose} />
  return row.pause ? (
    <ResumeDialog target={row.pause} onClose={onClose} />
  ) : (
    <PauseDialog target={{ kind: "downstream", name: row.name }} onClose={onClose} />
  )
}

const columns = (may: boolean, onAsk: (asked: Asked) => void): readonly Column<Row>[] => [
  {
    name: "Name",
    className: "min-w-36",
    cell: (row) => (
      <div className="flex flex-col items-start gap-0.5">
        <CutName text={row.name} className="font-medium" />
        <Standing row={row} />
      </div>
    ),
  },
  { name: "Per second", align: "right", className: "whitespace-nowrap", cell: (row) => <Pace row={row} /> },
  {
    name: "In flight",
    align: "right",
    className: "whitespace-nowrap",
    cell: ({ inFlight, concurrency }) =>
      concurrency === undefined ? count(inFlight) : `${count(inFlight)} of ${count(concurrency)}`,
  },
  {
    name: "Waiting",
    align: "right",
    className: "whitespace-nowrap",
    cell: ({ waiting, waitingIsExact }) => count(waiting, waitingIsExact),
  },
  {
    name: "Limits",
    cell: (row) => (
      <Changed at={row.changedAt} by={row.changedBy} otherwise={hasLimits(row) ? "Set earlier" : "None"} />
    ),
  },
  {
    name: "Actions",
    head: <span className="sr-only">Actions</span>,
    align: "right",
    cell: (row) => may && <Actions row={row} onAsk={onAsk} />,
  },
]
