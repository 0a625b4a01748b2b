// The attempts of a job that are over: how each ended, with which worker, and of what.
import { useQuery } from "@tanstack/react-query"
import { type JobAttempt, jobAttemptsQuery } from "../../api/job-lists/ended-jobs.ts"
import type { Job } from "../../api/jobs.ts"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { Card } from "../../kit/page.tsx"
import { Standing, type Tone } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"

const TONES: Readonly<Record<JobAttempt["outcome"], Tone>> = {
  completed: "good",
  failed: "bad",
  "timed-out": "bad",
  lost: "warn",
  returned: "calm",
  parked: "calm",
}

/** Nothing of it is shown before the first attempt is over. */
export function Attempts({ job }: { readonly job: Job }) {
  const { data = [] } = useQuery({ ...jobAttemptsQuery(job.id), meta: { live: true } })
  if (data.length === 0) return null
  return (
    <Card title="Attempts" flush>
      <Table caption="Attempts, the latest first" columns={COLUMNS} rows={data} keyOf={({ attempt }) => `${attempt}`} />
    </Card>
  )
}

const COLUMNS: readonly Column<JobAttempt>[] = [
  { name: "Attempt", align: "right", cell: ({ attempt }) => attempt },
  {
    name: "Outcome",
    className: "whitespace-nowrap",
    cell: ({ outcome }) => <Standing tone={TONES[outcome]}>{outcome}</Standing>,
  },
  {
    name: "Error",
    className: "w-full max-w-0 min-w-40",
    cell: ({ error }) => (error === undefined ? null : <CutText text={error} />),
  },
  { name: "Worker", className: "max-w-48 min-w-24", cell: ({ workerId = "" }) => <CutName text={workerId} /> },
  { name: "Ended", className: "min-w-24", cell: ({ endedAt }) => <Ago at={endedAt} /> },
]
