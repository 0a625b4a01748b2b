// One page of the standalone jobs that have ended, newest first.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type EndedJob, type EndedJobFilter, endedJobsQuery } from "../../api/job-lists/ended-jobs.ts"
import { LinkButton } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { Pager } from "../../kit/pager.tsx"
import { useRowKeys } from "../../kit/row-keys.ts"
import { Empty, ErrorNote, Loading } from "../../kit/states.tsx"
import { Badge, Status } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago, durationText } from "../../kit/time.tsx"
import { enqueueCall } from "./enqueue-call.ts"
import { JobLink } from "./job-link.tsx"

interface Props {
  readonly filter: EndedJobFilter
  readonly cursor: string | undefined
}

export function EndedList({ filter, cursor }: Props) {
  const { data, error, isPlaceholderData } = useQuery({
    ...endedJobsQuery(filter, cursor),
    placeholderData: keepPreviousData,
    meta: { live: true },
  })
  const list = useRowKeys()
  const { items = [], nextCursor } = data ?? {}
  return (
    <>
      {error && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
      {!data && !error && <Loading />}
      <div ref={list} className={cx("[&_tbody_tr]:cursor-pointer", isPlaceholderData && "opacity-60")}>
        {items.length > 0 && (
          <Table
            caption="Jobs, those that have ended, newest first"
            columns={COLUMNS}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </div>
      {data && items.length === 0 && <Nothing filter={filter} hasMore={nextCursor !== undefined} />}
      <Pager label="Pages of jobs" cursor={cursor} next={nextCursor} />
    </>
  )
}

const COLUMNS: readonly Column<EndedJob>[] = [
  {
    name: "Job",
    className: "max-w-64 min-w-36",
    cell: (job) => <JobLink job={job} />,
  },
  {
    name: "Type",
    className: "max-w-52 min-w-24",
    cell: ({ jobType }) => <CutName text={jobType} className="font-medium" />,
  },
  { name: "Status", className: "whitespace-nowrap", cell: ({ status }) => <Status of={status} /> },
  { name: "Priority", className: "whitespace-nowrap", cell: ({ priority }) => <Badge>{priority}</Badge> },
  {
    name: "Error",
    className: "w-full max-w-0 min-w-40",
    cell: ({ error }) => (error === undefined ? null : <CutText text={error} className="text-muted" />),
  },
  { name: "Attempts", align: "right", cell: ({ attempts }) => attempts },
  {
    name: "Took",
    align: "right",
    className: "whitespace-nowrap",
    cell: ({ createdAt, endedAt }) => durationText(Date.parse(endedAt) - Date.parse(createdAt)),
  },
  { name: "Ended", className: "min-w-24", cell: ({ endedAt }) => <Ago at={endedAt} /> },
]

interface NothingProps extends Pick<Props, "filter"> {
  readonly hasMore: boolean
}

function Nothing({ filter, hasMore }: NothingProps) {
  if (hasMore)
    return (
      <Empty title="Nothing that matches is on this page.">
        {filter.keyPrefix === undefined
          ? "10,000 entries of the history were looked at, the steps of workflows among them."
          : "1,000 keys were looked at, those of jobs that have not ended among them."}{" "}
        The next page goes on from there.
      </Empty>
    )
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Empty
      title={isFiltered ? "No job that has ended matches this filter." : "No standalone job has ended yet."}
      code={isFiltered ? undefined : enqueueCall(location.origin)}
      action={isFiltered ? undefined : <LinkButton to="/jobs">Look at the jobs that wait</LinkButton>}
    >
      Jobs that have ended are kept for a while. The jobs of a workflow are on the page of their instance.
    </Empty>
  )
}
