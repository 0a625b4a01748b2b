// Workers: who asks for jobs of which types, who has some, and the job types that no worker asks for although jobs wait.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { jobTypesQuery } from "../../api/job-types.ts"
import { type Worker, workersQuery } from "../../api/workers.ts"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Card, Page } from "../../kit/page.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Badge, Standing } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago, useNow } from "../../kit/time.tsx"
import { ConnectWorker } from "./connect-worker.tsx"
import { stateOf } from "./state.ts"
import { unpolled } from "./unpolled.ts"
import { UnpolledWarning } from "./unpolled-warning.tsx"

export function WorkersScreen() {
  const query = useQuery({ ...workersQuery, meta: { live: true } })
  const types = useQuery({ ...jobTypesQuery, meta: { live: true } })
  const forgotten = query.data && types.data ? unpolled(types.data, query.data.items) : []
  return (
    <Page title="Workers" lead="Programs that ask the engine for jobs and do them. A worker is seen while it asks.">
      {forgotten.length > 0 && <UnpolledWarning types={forgotten} />}
      <Card flush>
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <NoWorkers />
            ) : (
              <Table caption="Workers" columns={COLUMNS} rows={items} keyOf={({ workerId }) => workerId} />
            )
          }
        </Loaded>
      </Card>
    </Page>
  )
}

const COLUMNS: readonly Column<Worker>[] = [
  {
    name: "Worker",
    className: "max-w-64 min-w-40",
    cell: ({ workerId }) => <CutName text={workerId} className="font-medium" />,
  },
  { name: "State", className: "min-w-40", cell: (worker) => <State worker={worker} /> },
  {
    name: "Job types",
    className: "w-full max-w-0 min-w-48",
    cell: ({ jobTypes }) => <JobTypes names={jobTypes} />,
  },
  { name: "In flight", align: "right", cell: ({ inFlight }) => <InFlight jobs={inFlight} /> },
  { name: "Oldest claimed", cell: ({ since }) => <Ago at={since} /> },
  { name: "Here since", cell: ({ firstSeenAt }) => <Ago at={firstSeenAt} /> },
  { name: "Last seen", cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
]

/** A stopped worker leaves the list at once. A killed one reports nothing: only the time when it was last seen shows it. */
function State({ worker }: { readonly worker: Worker }) {
  const { tone, words } = stateOf(worker, useNow())
  return <Standing tone={tone}>{words}</Standing>
}

/** More are a number: a worker of many workflows would fill the screen. */
const SHOWN = 3

const JobTypes = ({ names }: { readonly names: readonly string[] }) => (
  <span className="flex flex-wrap items-center gap-1" title={names.join("\n")}>
    {names.slice(0, SHOWN).map((name) => (
      <Badge key={name}>{name}</Badge>
    ))}
    {names.length > SHOWN && <span className="text-muted text-xs whitespace-nowrap">+{names.length - SHOWN} more</span>}
  </span>
)

/** Which jobs, and of which instances, is said there. */
function InFlight({ jobs }: { readonly jobs: number }) {
  if (jobs === 0) return count(jobs)
  return (
    <Link to="/jobs" search={{ status: "leased" }} title="What workers have">
      {count(jobs)}
    </Link>
  )
}

const NoWorkers = () => (
  <Empty title="No worker asks for jobs.">
    A worker is a few lines: register a handler for a job type, with <code>millrace</code> in Node or over HTTP with{" "}
    <code>POST /v1/jobs/poll</code>. It is here as soon as it asks.
    <div className="text-text mt-3 text-left">
      <ConnectWorker jobType="send_email" />
    </div>
  </Empty>
)
