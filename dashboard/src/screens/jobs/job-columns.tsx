// The columns of the list of jobs: what is known of each depends on its status.
import { Link } from "@tanstack/react-router"
import type { LiveJob, LiveStatus } from "../../api/job-lists/live-jobs.ts"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { InstanceHead, InstanceLink } from "../../kit/names/instance-cell.tsx"
import { ROW_LINK } from "../../kit/row-keys.ts"
import { Badge } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { JobLink } from "./job-link.tsx"

export const columnsOf = (status: LiveStatus): readonly Column<LiveJob>[] => [...FACTS, ...OF_STATUS[status]]

const FACTS: readonly Column<LiveJob>[] = [
  { name: "Job", className: "max-w-64 min-w-36", cell: (job) => <JobOf job={job} /> },
  {
    name: "Type",
    className: "max-w-52 min-w-24",
    cell: ({ jobType }) => <CutName text={jobType} className="font-medium" />,
  },
  { name: "Step of", className: "max-w-52 min-w-28", cell: (job) => <StepOf job={job} /> },
  {
    name: "Instance",
    head: <InstanceHead />,
    className: "max-w-56 min-w-28",
    cell: (job) => <InstanceOf job={job} />,
  },
  { name: "Priority", className: "whitespace-nowrap", cell: ({ priority }) => <Badge>{priority}</Badge> },
  { name: "Created", className: "min-w-24", cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

const ATTEMPTS: Column<LiveJob> = {
  name: "Attempts so far",
  align: "right",
  className: "whitespace-nowrap",
  cell: ({ attempt }) => attempt,
}

const OF_STATUS: Readonly<Record<LiveStatus, readonly Column<LiveJob>[]>> = {
  ready: [ATTEMPTS],
  leased: [
    { name: "Worker", className: "max-w-48 min-w-24", cell: ({ workerId = "" }) => <CutName text={workerId} /> },
    { name: "Lease ends", className: "min-w-24", cell: ({ lockExpiresAt }) => <Ago at={lockExpiresAt} /> },
    { name: "Attempt", align: "right", className: "whitespace-nowrap", cell: ({ attempt }) => attempt },
  ],
  delayed: [{ name: "Due", className: "min-w-24", cell: ({ visibleAt }) => <Ago at={visibleAt} /> }, ATTEMPTS],
  held: [ATTEMPTS],
}

/** A standalone job has a page of its own, a step's job is seen on that of its instance. */
function JobOf({ job }: { readonly job: LiveJob }) {
  const { id, instanceId } = job
  if (instanceId === undefined) return <JobLink job={job} />
  return (
    <Link
      to="/instances/$instanceId"
      params={{ instanceId }}
      title={id}
      className="block truncate font-mono text-xs"
      {...ROW_LINK}
    >
      {id}
    </Link>
  )
}

function InstanceOf({ job: { instanceId, key, businessKey, linkingId } }: { readonly job: LiveJob }) {
  if (instanceId === undefined) return <span className="text-muted">–</span>
  return <InstanceLink instance={{ id: instanceId, key, businessKey, linkingId }} />
}

function StepOf({ job: { definitionId, stepId = "" } }: { readonly job: LiveJob }) {
  if (definitionId === undefined) return <span className="text-muted">standalone</span>
  return <CutText text={stepId === "" ? definitionId : `${definitionId} · ${stepId}`} />
}
