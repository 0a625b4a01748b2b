// The job types, the busiest first: how many wait and run, how long one attempt may take, who asked for them last.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { COUNTED_TO, type JobType, jobTypesQuery } from "../../api/job-types.ts"
import { type Pause, pausesQuery } from "../../api/pauses.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { busiestFirst } from "./busiest-first.ts"
import { Changed } from "./changed.tsx"
import { typedDuration } from "./duration-field.tsx"
import { PauseDialog, ResumeDialog } from "./pause-dialog.tsx"
import { pauseFor } from "./pause-words.ts"
import { TimeoutDialog } from "./timeout-dialog.tsx"

interface Row extends JobType {
  readonly pause: Pause | undefined
}

interface Asked {
  readonly what: "timeout" | "pause"
  readonly row: Row
}

const SHOWN_AT_FIRST = 10

export function JobTypesCard() {
  const query = useQuery({ ...jobTypesQuery, meta: { live: true } })
  const { data: pauses } = useQuery(pausesQuery)
  const [asked, setAsked] = useState<Asked | undefined>()
  const [showsAll, setShowsAll] = useState(false)
  const may = useMay("queues:write")
  const close = () => setAsked(undefined)
  return (
    <Card title="Job types" flush>
      <Loaded query={query}>
        {(types) =>
          types.length === 0 ? (
            <Empty title="No job type is known yet.">
              A job type is known from its first job or its first poll on.
            </Empty>
          ) : (
            <>
              <Table
                caption="Job types, the busiest first"
                columns={columns(may, setAsked)}
                rows={busiestFirst(types)
                  .slice(0, showsAll ? types.length : SHOWN_AT_FIRST)
                  .map((type) => ({ ...type, pause: pauseFor(pauses, "jobType", type.name) }))}
                keyOf={({ name }) => name}
              />
              {types.length > SHOWN_AT_FIRST && (
                <Button look="quiet" className="m-2" onClick={() => setShowsAll(!showsAll)}>
                  {showsAll ? `Only the ${SHOWN_AT_FIRST} busiest` : `All ${count(types.length)} job types`}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
      {asked?.what === "timeout" && <TimeoutDialog jobType={asked.row} onClose={close} />}
      {asked?.what === "pause" &&
        (asked.row.pause ? (
          <ResumeDialog target={asked.row.pause} onClose={close} />
        ) : (
          <PauseDialog target={{ kind: "jobType", name: asked.row.name }} onClose={close} />
        ))}
    </Card>
  )
}

const columns = (may: boolean, onAsk: (asked: Asked) => void): readonly Column<Row>[] => [
  {
    name: "Job type",
    className: "max-w-80 min-w-40",
    cell: ({ name, pause }) => (
      <span className="flex flex-wrap items-center gap-2">
        <Link to="/jobs" search={{ jobType: name }} className="max-w-full font-medium">
          <CutName text={name} />
        </Link>
        {pause && <Badge tone="warn">paused by {pause.pausedBy}</Badge>}
      </span>
    ),
  },
  {
    name: "Waiting",
    align: "right",
    className: "whitespace-nowrap",
    cell: ({ ready = 0 }) => count(ready, ready < COUNTED_TO),
  },
  {
    name: "With workers",
    align: "right",
    className: "whitespace-nowrap",
    cell: ({ leased = 0 }) => count(leased, leased < COUNTED_TO),
  },
  { name: "Last polled", cell: ({ lastPolledAt }) => (lastPolledAt ? <Ago at={lastPolledAt} /> : "never") },
  {
    name: "Timeout",
    cell: ({ timeout, changedAt, changedBy }) => (
      <span className="flex flex-col">
        {timeout === undefined ? (
          <span className="text-muted whitespace-nowrap">as its jobs say</span>
        ) : (
          timeoutText(timeout)
        )}
        {changedAt !== undefined && <Changed at={changedAt} by={changedBy} otherwise="" />}
      </span>
    ),
  },
  {
    name: "Actions",
    head: <span className="sr-only">Actions</span>,
    align: "right",
    cell: (row) =>
      may && (
        <span className="flex justify-end gap-1.5">
          <Button
            className="py-1"
            aria-label={`Change timeout of ${row.name}`}
            onClick={() => onAsk({ what: "timeout", row })}
          >
            Timeout
          </Button>
          <Button
            className="py-1"
            aria-label={`${row.pause ? "Resume" : "Pause"} job type ${row.name}`}
            onClick={() => onAsk({ what: "pause", row })}
          >
            {row.pause ? "Resume" : "Pause"}
          </Button>
        </span>
      ),
  },
]

function timeoutText(iso: string): string {
  const { amount, unit } = typedDuration(iso)
  return `${amount} ${amount === "1" ? unit.slice(0, -1) : unit}`
}
