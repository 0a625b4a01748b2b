// The queue and how to steer it: depths, weights, watermarks, pauses, downstreams, job types.
import { useState } from "react"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { useKeys } from "../../kit/keys.ts"
import { Needs } from "../../kit/needs.tsx"
import { Page } from "../../kit/page.tsx"
import { DownstreamsCard } from "./downstreams.tsx"
import { EnqueueDialog } from "./enqueue-dialog.tsx"
import { JobTypesCard } from "./job-types.tsx"
import { PausesCard } from "./pauses.tsx"
import { PrioritiesCard } from "./priorities.tsx"
import { WatermarksCard } from "./watermarks.tsx"
import { WeightsCard } from "./weights.tsx"

export function QueuesScreen() {
  const [isEnqueuing, setIsEnqueuing] = useState(false)
  const may = useMay("jobs:write")
  const enqueue = () => setIsEnqueuing(true)
  useKeys(may ? { e: enqueue } : {})
  return (
    <Page
      title="Queues"
      lead="How many jobs wait, which are served first, what is held back."
      actions={
        may && (
          <Button look="primary" title="e" onClick={enqueue}>
            Enqueue a job
          </Button>
        )
      }
    >
      <Needs scope="metrics:read">
        <PrioritiesCard />
      </Needs>
      <div className="grid gap-4 lg:grid-cols-2">
        <WeightsCard />
        <WatermarksCard />
      </div>
      <JobTypesCard />
      <DownstreamsCard />
      <PausesCard />
      {isEnqueuing && <EnqueueDialog onClose={() => setIsEnqueuing(false)} />}
    </Page>
  )
}
