// One job that stands alone: how it stands, why it waits, its attempts, what it was given and what came of it; cancel it, run it again.
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { ApiError } from "../../api/http.ts"
import { hasEnded, type Job, jobQuery } from "../../api/jobs.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { CopyButton, Json } from "../../kit/json.tsx"
import { useKeys } from "../../kit/keys.ts"
import { Card, Page } from "../../kit/page.tsx"
import { Empty, ErrorNote, Loading } from "../../kit/states.tsx"
import { Attempts } from "./attempts.tsx"
import { CancelJob } from "./cancel-job.tsx"
import { DeadJobActions } from "./dead-job-actions.tsx"
import { JobFacts } from "./job-facts.tsx"
import { RunAgain } from "./run-again.tsx"
import { WhyItWaits } from "./why-it-waits.tsx"

export function JobScreen() {
  const { jobId } = useParams({ from: "/jobs/$jobId" })
  const query = useQuery({ ...jobQuery(jobId), meta: { live: true } })
  if (query.data) return <JobPage job={query.data} />
  return (
    <Page title="Job" crumbs={<Crumbs />}>
      {isMissing(query.error) ? <Missing /> : query.error ? <ErrorNote error={query.error} /> : <Loading />}
    </Page>
  )
}

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404

const Crumbs = () => <Link to="/jobs">Jobs</Link>

function Missing() {
  return (
    <Card>
      <Empty title="There is no such job.">
        Jobs that have ended are kept for a while and then removed. The job of a workflow is seen on the page of its
        instance.
      </Empty>
    </Card>
  )
}

function titleOfError({ status }: Job): string {
  if (status === "CANCELLED") return "Why it was cancelled"
  return status === "FAILED" ? "Error" : "Error of the last attempt"
}

function JobPage({ job }: { readonly job: Job }) {
  const [isCancelling, setIsCancelling] = useState(false)
  const may = useMay("jobs:write")
  const canCancel = may && !hasEnded(job)
  useKeys(canCancel ? { c: () => setIsCancelling(true) } : {})
  return (
    <Page
      title={job.type}
      crumbs={<Crumbs />}
      lead={
        <span className="flex flex-wrap items-center gap-1">
          <code className="text-xs break-all">{job.id}</code>
          <CopyButton text={job.id} label="Copy the id of the job" />
        </span>
      }
      actions={
        may &&
        (canCancel ? (
          <Button look="danger" title="c" onClick={() => setIsCancelling(true)}>
            Cancel job
          </Button>
        ) : (
          <RunAgain job={job} />
        ))
      }
    >
      <JobFacts job={job} />
      {!hasEnded(job) && <WhyItWaits job={job} />}
      {job.error !== null && (
        <Card title={titleOfError(job)} actions={job.status === "FAILED" && <DeadJobActions job={job} />}>
          <pre
            className={cx(
              "overflow-x-auto rounded-md p-3 font-mono text-xs break-words whitespace-pre-wrap",
              job.status === "CANCELLED" ? "bg-sunken" : "bg-bad-soft text-bad",
            )}
          >
            {job.error}
          </pre>
        </Card>
      )}
      <Attempts job={job} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Payload">
          <Json value={job.payload} label="payload" />
        </Card>
        <Card title="Result">
          {job.result === null ? (
            <p className="text-muted">{hasEnded(job) ? "It left none." : "Here will be what its handler returns."}</p>
          ) : (
            <Json value={job.result} label="result" />
          )}
        </Card>
      </div>
      {isCancelling && <CancelJob job={job} onClose={() => setIsCancelling(false)} />}
    </Page>
  )
}
