// Jobs that have not ended, standalone and of steps: those that wait, those with workers, those that are not yet due.
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import type { LiveJobFilter, LiveStatus } from "../../api/live-jobs.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { useKeys } from "../../kit/keys.ts"
import { Card, Page } from "../../kit/page.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { EnqueueDialog } from "../queues/enqueue-dialog.tsx"
import { FilterBar } from "./filter-bar.tsx"
import { JobList } from "./job-list.tsx"

const route = getRouteApi("/jobs")

const TABS: readonly { readonly name: LiveStatus; readonly label: string }[] = [
  { name: "ready", label: "Ready" },
  { name: "leased", label: "With workers" },
  { name: "delayed", label: "Delayed" },
  { name: "held", label: "Held back" },
]

export function JobsScreen() {
  const { status = "ready", jobType, priority, cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const [isEnqueuing, setIsEnqueuing] = useState(false)
  const may = useMay("jobs:write")
  const enqueue = () => setIsEnqueuing(true)
  useKeys(may ? { e: enqueue } : {})
  const filter = { status, jobType, priority }
  /** Another list begins with its first page. */
  const show = (change: LiveJobFilter) => void navigate({ search: { ...filter, ...change } })
  return (
    <Page
      title="Jobs"
      lead={
        <>
          What workers do, and what waits for them. A job that has ended is found by its id, one that died among the{" "}
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
      <Card flush>
        <Tabs label="Status of jobs" tabs={TABS} current={status} onChange={(status) => show({ status })}>
          <FilterBar filter={filter} onChange={show} />
          <JobList filter={filter} cursor={cursor} onEnqueue={enqueue} />
        </Tabs>
      </Card>
      {isEnqueuing && <EnqueueDialog onClose={() => setIsEnqueuing(false)} />}
    </Page>
  )
}
