// For a newcomer: nothing has ever run, so here is how to run something.
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { definitionsQuery } from "../../api/definitions.ts"
import { get } from "../../api/http.ts"
import { jobTypesQuery } from "../../api/job-types.ts"
import type { Overview } from "../../api/overview.ts"
import { LinkButton } from "../../kit/button.tsx"
import { CopyButton } from "../../kit/json.tsx"

const SAMPLE = "hello"

const anyInstanceQuery = {
  queryKey: ["instances", "any"],
  queryFn: async () => (await get<"listInstances">("/v1/instances", { pageSize: 1 })).items.length > 0,
  // What was true when this screen was open before may be so no longer.
  refetchOnMount: "always" as const,
}

const isIdle = ({ rates, leases, deadLetters, total }: Overview): boolean =>
  leases + deadLetters + total.depth === 0 && Object.values(rates).every((rate) => rate === 0)

export function FirstRun({ overview }: { readonly overview: Overview }) {
  const [hasRun, setHasRun] = useState(false)
  if (!hasRun && !isIdle(overview)) setHasRun(true)
  const enabled = !hasRun
  const anyInstance = useQuery({ ...anyInstanceQuery, enabled })
  const types = useQuery({ ...jobTypesQuery, enabled })
  const isNew = enabled && anyInstance.isFetchedAfterMount && anyInstance.data === false && types.data?.length === 0
  return isNew && <Welcome />
}

function Welcome() {
  const { data } = useQuery(definitionsQuery(undefined, 0))
  const hasSample = data?.items.some(({ id }) => id === SAMPLE)
  if (hasSample === undefined) return null
  return (
    <section
      aria-label="First steps"
      className="border-accent bg-surface flex flex-col gap-3 rounded-lg border px-4 py-4 shadow-sm"
    >
      <div>
        <h2 className="text-lg font-semibold">Welcome. Nothing has run yet.</h2>
        <p className="text-muted max-w-prose">
          {hasSample
            ? "A small workflow is here to try: it greets somebody, and asks a person first when the name is long. Start it and watch it go."
            : "Upload a definition, the steps of a workflow as JSON, and start an instance of it. Or put a job into the queue."}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {hasSample ? (
          <LinkButton look="primary" to="/definitions/$definitionId" params={{ definitionId: SAMPLE }}>
            Start the sample workflow
          </LinkButton>
        ) : (
          <LinkButton look="primary" to="/upload">
            Upload a definition
          </LinkButton>
        )}
        <LinkButton to="/queues">Put a job into the queue</LinkButton>
      </div>
      {hasSample && <Curl />}
    </section>
  )
}

function Curl() {
  const command = `curl -X POST ${location.origin}/v1/instances -H 'content-type: application/json' -d '{"definitionId":"${SAMPLE}","variables":{"name":"Ada"}}'`
  return (
    <div>
      <p className="text-muted mb-1 text-xs">or from a terminal</p>
      <div className="bg-sunken flex items-start gap-2 rounded-md p-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-words">{command}</code>
        <CopyButton text={command} label="Copy the command" />
      </div>
    </div>
  )
}
