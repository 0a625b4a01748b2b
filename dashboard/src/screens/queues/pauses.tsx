// Everything that is paused: by whom, since when and why, and how to let it go on.

import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { downstreamsQuery } from "../../api/downstreams.ts"
import { jobTypesQuery } from "../../api/job-types.ts"
import { type Pause, pausesQuery } from "../../api/pauses.ts"
import { useMay } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { Card } from "../../kit/page.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { ResumeDialog } from "./pause-dialog.tsx"
import { PauseSomething } from "./pause-something.tsx"
import { KIND_WORDS, nameOf } from "./pause-words.ts"

export function PausesCard() {
  const query = useQuery(pausesQuery)
  const types = useQuery(jobTypesQuery)
  const downstreams = useQuery(downstreamsQuery)
  const [isPausing, setIsPausing] = useState(false)
  const [resuming, setResuming] = useState<Pause | undefined>()
  const may = useMay("queues:write")
  const known = {
    jobType: types.data?.map(({ name }) => name) ?? [],
    downstream: downstreams.data?.map(({ name }) => name) ?? [],
  }
  return (
    <Card title="Paused" flush actions={may && <Button onClick={() => setIsPausing(true)}>Pause something…</Button>}>
      <Loaded query={query}>
        {(pauses) =>
          pauses.length === 0 ? (
            <p className="text-muted px-4 pb-4">
              Nothing is paused. A priority, a job type, a definition or a downstream can be: its jobs stay where they
              are.
            </p>
          ) : (
            <Table
              caption="What is paused"
              columns={columns(may, setResuming)}
              rows={pauses}
              keyOf={({ kind, name }) => `${kind} ${name}`}
            />
          )
        }
      </Loaded>
      {isPausing && <PauseSomething known={known} onClose={() => setIsPausing(false)} />}
      {resuming && <ResumeDialog target={resuming} onClose={() => setResuming(undefined)} />}
    </Card>
  )
}

const columns = (may: boolean, onResume: (pause: Pause) => void): readonly Column<Pause>[] => [
  {
    name: "What",
    className: "min-w-48",
    cell: ({ kind, name }) => (
      <span className="flex items-center gap-2">
        <Badge tone="warn">{KIND_WORDS[kind]}</Badge>
        <CutName text={name} className="font-medium" />
      </span>
    ),
  },
  { name: "Reason", cell: ({ reason }) => <Words text={reason ?? "–"} />, className: "min-w-40" },
  { name: "By", cell: ({ pausedBy }) => pausedBy },
  { name: "Since", cell: ({ pausedAt }) => <Ago at={pausedAt} /> },
  {
    name: "Resume",
    head: <span className="sr-only">Resume</span>,
    align: "right",
    cell: (pause) =>
      may && (
        <Button aria-label={`Resume ${nameOf(pause)}`} className="py-1" onClick={() => onResume(pause)}>
          Resume
        </Button>
      ),
  },
]
