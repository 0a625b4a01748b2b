// How a job stands, as a few named facts.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { hasEnded, type Job } from "../../api/jobs.ts"
import { CutName } from "../../kit/cut-text.tsx"
import { Card } from "../../kit/page.tsx"
import { Badge, Status } from "../../kit/status.tsx"
import { Ago, durationText } from "../../kit/time.tsx"

export function JobFacts({ job }: { readonly job: Job }) {
  return (
    <Card>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
        <Fact name="Status">
          <Status of={job.status} />
        </Fact>
        {job.key !== undefined && (
          <Fact name="Key">
            <CutName text={job.key} className="font-medium" />
          </Fact>
        )}
        <Fact name="Priority">
          <Badge>{job.priority}</Badge>
        </Fact>
        <Fact name="Enqueued">
          <Ago at={job.created_at} />
        </Fact>
        {hasEnded(job) ? <Ended job={job} /> : <Moving job={job} />}
        <Fact name="Retries">{job.retry_count}</Fact>
        {job.worker_id !== undefined && (
          <Fact name={job.status === "RUNNING" ? "With worker" : "Last worker"}>
            <CutName text={job.worker_id} />
          </Fact>
        )}
        {job.replay_of !== undefined && (
          <Fact name="Replay of">
            <Link to="/jobs/$jobId" params={{ jobId: job.replay_of }} className="font-mono text-xs">
              {job.replay_of}
            </Link>
          </Fact>
        )}
      </dl>
    </Card>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="mt-0.5">{children}</dd>
    </div>
  )
}

const Ended = ({ job: { created_at, updated_at } }: { readonly job: Job }) => (
  <Fact name="Ended">
    <Ago at={updated_at} />
    <span className="text-muted block text-xs">
      after {durationText(Date.parse(updated_at) - Date.parse(created_at))}
    </span>
  </Fact>
)

const Moving = ({ job: { due_at, updated_at } }: { readonly job: Job }) =>
  due_at === undefined ? (
    <Fact name="Last change">
      <Ago at={updated_at} />
    </Fact>
  ) : (
    <Fact name="Due">
      <Ago at={due_at} />
    </Fact>
  )
