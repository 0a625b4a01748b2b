// Jobs: those that wait, those with workers, those that are not yet due, standalone and of steps; and standalone ones that have ended.
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { FilterChips } from "../../kit/filters/filter-chips.tsx"
import { SaveViewButton, ViewBar } from "../../kit/filters/view-bar.tsx"
import { useKeys } from "../../kit/keys.ts"
import { Card, Page } from "../../kit/page.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { EnqueueDialog } from "../queues/enqueue-dialog.tsx"
import { EndedList } from "./ended-list.tsx"
import { filtersOf, JOB_VIEWS } from "./job-filters.ts"
import { JobList } from "./job-list.tsx"
import { type JobsSearch, readJobFilter, type Tab } from "./search.ts"

const route = getRouteApi("/jobs")

const TABS: readonly { readonly name: Tab; readonly label: string }[] = [
  { name: "ready", label: "Ready" },
  { name: "leased", label: "With workers" },
  { name: "delayed", label: "Delayed" },
  { name: "held", label: "Held back" },
  { name: "ended", label: "Ended" },
]

export function JobsScreen() {
  const { status = "ready", as, jobType, priority, keyPrefix, cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const [isEnqueuing, setIsEnqueuing] = useState(false)
  const may = useMay("jobs:write")
  const enqueue = () => setIsEnqueuing(true)
  useKeys(may ? { e: enqueue } : {})
  const filter = { jobType, priority, keyPrefix }
  const values = { ...readJobFilter({ status, as, ...filter }) }
  /** Another list begins with its first page. */
  const show = (change: JobsSearch) => void navigate({ search: { status, as, ...filter, ...change } })
  return (
    <Page
      title="Jobs"
      lead={
        <>
          What workers do, what waits for them, and what has ended. What died waits for you among the{" "}
          <Link to="/dead-letters" search={{ type: jobType }}>
            dead letters
          </Link>
          .
        </>
      }
      actions={
        may && (
          <Button look="primary" title="e" onClick={enqueue}>
            Enqueue a job
          </Button>
        )
      }
    >
      <ViewBar views={JOB_VIEWS} filter={values} />
      <Card flush>
        <Tabs label="Status of jobs" tabs={TABS} current={status} onChange={(status) => show({ status })}>
          <FilterChips
            label="Filter jobs"
            className="px-4 py-3"
            kinds={filtersOf(status)}
            values={values}
            onChange={(next) => show(readJobFilter(next))}
          >
            <SaveViewButton views={JOB_VIEWS} filter={values} />
          </FilterChips>
          {status === "ended" ? (
            <EndedList filter={{ ...filter, status: as }} cursor={cursor} />
          ) : (
            <JobList filter={{ ...filter, status }} cursor={cursor} onEnqueue={enqueue} />
          )}
        </Tabs>
      </Card>
      {isEnqueuing && <EnqueueDialog onClose={() => setIsEnqueuing(false)} />}
    </Page>
  )
}
