// Schedules: what starts when, what became of it last, and everything one does with them.

import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { refreshLive } from "../../api/query-client.ts"
import { runSchedule, type Schedule, schedulesQuery, switchSchedule } from "../../api/schedules.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { CutName } from "../../kit/cut-text.tsx"
import { Card, Page } from "../../kit/page.tsx"
import { Empty, ErrorNote, Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago, fullTime } from "../../kit/time.tsx"
import { say } from "../../kit/toast.tsx"
import { DeleteSchedule } from "./delete-schedule.tsx"
import { OutcomeBadge, RunsDialog, WorkLink } from "./runs-dialog.tsx"
import { ScheduleDialog } from "./schedule-dialog.tsx"

type Opened = { readonly what: "new" } | { readonly what: "edit" | "runs" | "delete"; readonly schedule: Schedule }

export function SchedulesScreen() {
  const query = useQuery({ ...schedulesQuery(), meta: { live: true } })
  const mayWrite = useMay("queues:write")
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <Page
      title="Schedules"
      lead="Start a workflow or enqueue a job by the calendar."
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => setOpened({ what: "new" })}>
            New schedule
          </Button>
        )
      }
    >
      <Card flush>
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty
                title="Nothing is scheduled."
                code={CREATE}
                action={mayWrite && <Button onClick={() => setOpened({ what: "new" })}>Make one here</Button>}
              >
                A schedule starts a workflow or enqueues a job by the calendar, in any time zone, once for each time.
              </Empty>
            ) : (
              <ScheduleTable items={items} mayWrite={mayWrite} onOpen={setOpened} />
            )
          }
        </Loaded>
      </Card>
      {opened?.what === "new" && <ScheduleDialog onClose={close} />}
      {opened?.what === "edit" && <ScheduleDialog schedule={opened.schedule} onClose={close} />}
      {opened?.what === "runs" && <RunsDialog schedule={opened.schedule} onClose={close} />}
      {opened?.what === "delete" && <DeleteSchedule schedule={opened.schedule} onClose={close} />}
    </Page>
  )
}

const CREATE = `millrace schedules create nightly-report \\
  --cron "0 3 * * *" --timezone Europe/Berlin \\
  --job-type generate_report --input '{"kind":"all"}'`

interface TableProps {
  readonly items: readonly Schedule[]
  readonly mayWrite: boolean
  readonly onOpen: (opened: Opened) => void
}

/** Five of them stand in a row: all are seen at 1280 px. */
const TIGHT = "px-2!"

function ScheduleTable({ items, mayWrite, onOpen }: TableProps) {
  const run = useMutation({ mutationFn: ({ id }: Schedule) => runNow(id), onSettled: refreshLive })
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: Schedule) => switchSchedule(id, !enabled),
    onSuccess: (_answer, { id, enabled }) => say(enabled ? `Switched ${id} off` : `Switched ${id} on`),
    onSettled: refreshLive,
  })
  const error = run.error ?? toggle.error
  const columns: Column<Schedule>[] = [
    { name: "Schedule", className: "max-w-64 min-w-40", cell: (schedule) => <Name schedule={schedule} /> },
    { name: "Starts", className: "max-w-48 min-w-28", cell: (schedule) => <Target schedule={schedule} /> },
    {
      name: "Next",
      cell: ({ enabled, nextAt, upcoming }) => (enabled ? <Next at={nextAt} then={upcoming} /> : <Badge>off</Badge>),
    },
    { name: "Last run", cell: (schedule) => <LastRun schedule={schedule} /> },
    {
      name: "Changed",
      cell: ({ changedBy, changedAt }) => (
        <div className="text-muted max-w-32">
          <Ago at={changedAt} />
          <div className="flex gap-1 text-xs">
            by <CutName text={changedBy} />
          </div>
        </div>
      ),
    },
    {
      name: "Actions",
      align: "right",
      cell: (schedule) => (
        <div className="flex justify-end">
          <Button
            look="quiet"
            className={TIGHT}
            onClick={() => onOpen({ what: "runs", schedule })}
            aria-label={`Runs of ${schedule.id}`}
          >
            Runs
          </Button>
          {mayWrite && (
            <>
              <Button
                look="quiet"
                className={TIGHT}
                aria-label={`Run now: ${schedule.id}`}
                onClick={() => run.mutate(schedule)}
              >
                Run now
              </Button>
              <Button
                look="quiet"
                className={TIGHT}
                aria-label={`Switch ${schedule.enabled ? "off" : "on"}: ${schedule.id}`}
                onClick={() => toggle.mutate(schedule)}
              >
                {schedule.enabled ? "Switch off" : "Switch on"}
              </Button>
              {/* Without the input that this key may not read, saving would wipe it out. */}
              {schedule.input && (
                <Button
                  look="quiet"
                  className={TIGHT}
                  aria-label={`Edit ${schedule.id}`}
                  onClick={() => onOpen({ what: "edit", schedule })}
                >
                  Edit
                </Button>
              )}
              <Button
                look="quiet"
                className={TIGHT}
                aria-label={`Delete ${schedule.id}`}
                onClick={() => onOpen({ what: "delete", schedule })}
              >
                Delete
              </Button>
            </>
          )}
        </div>
      ),
    },
  ]
  return (
    <>
      <Table caption="Schedules" columns={columns} rows={items} keyOf={({ id }) => id} />
      {error && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
    </>
  )
}

/** A run that could not start anything is not done because it was asked for. */
async function runNow(id: string): Promise<void> {
  const { outcome, detail } = await runSchedule(id)
  if (outcome === "failed") throw new Error(`${id} could not run: ${detail ?? "see its runs"}`)
  say(outcome === "started" ? `Ran ${id}` : `${id} was ${outcome}: its last run still goes`)
}

const Name = ({ schedule: { id, cron, timezone } }: { readonly schedule: Schedule }) => (
  <div>
    <CutName text={id} className="font-medium" />
    <div className="text-muted truncate text-xs" title={`${cron} ${timezone}`}>
      <code>{cron}</code> · {timezone}
    </div>
  </div>
)

const Target = ({ schedule: { definitionId, jobType } }: { readonly schedule: Schedule }) =>
  definitionId ? (
    <Link to="/definitions/$definitionId" params={{ definitionId }}>
      <CutName text={definitionId} />
    </Link>
  ) : (
    <CutName text={`job ${jobType}`} />
  )

const Next = ({ at, then }: { readonly at?: string; readonly then: readonly string[] }) => (
  <span title={["Then:", ...then.map(fullTime)].join("\n")}>
    <Ago at={at} />
  </span>
)

function LastRun({
  schedule: { lastFiredAt, lastOutcome, lastWorkId, lastDetail, definitionId },
}: {
  readonly schedule: Schedule
}) {
  if (lastFiredAt === undefined && lastOutcome === undefined)
    return <span className="text-muted whitespace-nowrap">never</span>
  return (
    <div title={lastDetail}>
      {lastFiredAt && <Ago at={lastFiredAt} />}
      <div className="flex items-center gap-1.5 text-xs">
        {lastOutcome && <OutcomeBadge outcome={lastOutcome} />}
        <WorkLink id={lastWorkId} isInstance={definitionId !== undefined} />
      </div>
    </div>
  )
}
