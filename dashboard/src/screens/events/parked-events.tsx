// One page of the events that a sink did not take, in the order of publishing, and what can be done about each.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type ParkedEvent, parkedEventsQuery } from "../../api/events.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Pager } from "../../kit/pager.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { type Asked, ParkedDialog } from "./parked-dialog.tsx"

interface Props {
  readonly sink: string | undefined
  readonly cursor: string | undefined
}

export function ParkedEvents({ sink, cursor }: Props) {
  const query = useQuery({
    ...parkedEventsQuery(sink, cursor),
    placeholderData: keepPreviousData,
    meta: { live: true },
  })
  const mayWrite = useMay("sinks:write")
  const [asked, setAsked] = useState<Asked>()
  return (
    <>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing is parked.">
              An event that a sink refuses or fails on comes here, with its reason, and later ones of its key behind it.
            </Empty>
          ) : (
            <Table
              caption="Parked events"
              columns={mayWrite ? [...COLUMNS, actionColumn(setAsked)] : COLUMNS}
              rows={items}
              keyOf={keyOf}
            />
          )
        }
      </Loaded>
      <Pager label="Pages of parked events" cursor={cursor} next={query.data?.nextCursor} />
      {asked && <ParkedDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

const keyOf = ({ sink, id }: ParkedEvent): string => `${sink} ${id}`

const COLUMNS: readonly Column<ParkedEvent>[] = [
  {
    name: "Event",
    className: "min-w-48",
    cell: ({ type, id }) => (
      <>
        <CutName text={type} className="font-medium" />
        <code className="text-muted block text-xs break-all">{id}</code>
      </>
    ),
  },
  { name: "Sink", className: "min-w-24", cell: ({ sink }) => <CutName text={sink} /> },
  { name: "Key", className: "max-w-40", cell: ({ key }) => (key === undefined ? "–" : <CutName text={key} />) },
  {
    name: "Why",
    className: "min-w-48 max-w-96",
    cell: ({ reason }) => (
      <span className="text-bad line-clamp-3" title={reason}>
        <Words text={reason} />
      </span>
    ),
  },
  { name: "Tries", align: "right", className: "whitespace-nowrap", cell: ({ attempts }) => count(attempts) },
  { name: "Parked", cell: ({ parkedAt }) => <Ago at={parkedAt} /> },
  { name: "Next", cell: (event) => <Next event={event} /> },
]

function Next({ event: { isBehind, nextAt } }: { readonly event: ParkedEvent }) {
  if (isBehind) return <Badge>behind another</Badge>
  return nextAt === undefined ? <Badge tone="warn">waits for you</Badge> : <Ago at={nextAt} />
}

/** One behind another is not sent before it. */
const actionColumn = (ask: (asked: Asked) => void): Column<ParkedEvent> => ({
  name: "Actions",
  align: "right",
  cell: (event) => (
    <div className="flex justify-end gap-1">
      {!event.isBehind && (
        <Button look="quiet" aria-label={`Replay ${event.id}`} onClick={() => ask({ action: "replay", event })}>
          Replay
        </Button>
      )}
      <Button look="quiet" aria-label={`Discard ${event.id}`} onClick={() => ask({ action: "discard", event })}>
        Discard
      </Button>
    </div>
  ),
})
