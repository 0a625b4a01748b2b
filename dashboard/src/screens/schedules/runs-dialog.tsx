// What became of each tick of a schedule, newest first.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type Schedule, type ScheduleRun, scheduleRunsQuery } from "../../api/schedules.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Standing } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { fullTime } from "../../kit/time.tsx"

const TONES = { started: "good", queued: "info", skipped: "calm", failed: "bad" } as const

export function RunsDialog({ schedule, onClose }: { readonly schedule: Schedule; readonly onClose: () => void }) {
  const query = useQuery({ ...scheduleRunsQuery(schedule.id), meta: { live: true } })
  const columns: Column<ScheduleRun>[] = [
    { name: "Due", cell: ({ dueAt }) => fullTime(dueAt) },
    { name: "By", cell: ({ cause }) => (cause === "manual" ? "hand" : "calendar") },
    { name: "Outcome", cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
    {
      name: "Started",
      cell: ({ workId }) => <WorkLink id={workId} isInstance={schedule.definitionId !== undefined} />,
    },
    { name: "Why", cell: ({ detail }) => <span className="text-muted">{detail}</span> },
  ]
  return (
    <Dialog title={`Runs of ${schedule.id}`} wide onClose={onClose}>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="It has not run yet." />
          ) : (
            <Table
              caption={`Runs of ${schedule.id}`}
              columns={columns}
              rows={items}
              keyOf={({ dueAt, firedAt, cause }) => `${dueAt} ${firedAt} ${cause}`}
            />
          )
        }
      </Loaded>
    </Dialog>
  )
}

export const OutcomeBadge = ({ outcome }: Pick<ScheduleRun, "outcome">) => (
  <Standing tone={TONES[outcome]}>{outcome}</Standing>
)

export function WorkLink({ id, isInstance }: { readonly id?: string; readonly isInstance: boolean }) {
  if (id === undefined) return null
  return isInstance ? (
    <Link to="/instances/$instanceId" params={{ instanceId: id }}>
      instance
    </Link>
  ) : (
    <Link to="/jobs/$jobId" params={{ jobId: id }}>
      job
    </Link>
  )
}
