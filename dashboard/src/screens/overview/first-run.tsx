// For a newcomer: nothing has ever run, so here is how to run something.
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { definitionsQuery } from "../../api/definitions.ts"
import { get } from "../../api/http.ts"
import { jobTypesQuery } from "../../api/job-types.ts"
import type { Overview } from "../../api/overview.ts"
import { LinkButton } from "../../kit/button.tsx"
import { CopyButton } from "../../kit/json.tsx"
import { type FirstStep, firstSteps } from "./first-steps.ts"

const SAMPLE = "hello"

const anyInstanceQuery = {
  queryKey: ["instances", "any"],
  queryFn: async () => (await get<"listInstances">("/v1/instances", { pageSize: 1 })).items.length > 0,
  // What was true when this screen was open before may be so no longer.
  refetchOnMount: "always" as const,
}

const isIdle = ({ rates, leases, deadLetters, total }: Overview): boolean =>
  leases + deadLetters + total.depth === 0 && Object.values(rates).every((rate) => rate === 0)

/** Whether this engine has never run anything, as far as is known. */
export function useIsNew(overview: Overview): boolean {
  const [hasRun, setHasRun] = useState(false)
  if (!hasRun && !isIdle(overview)) setHasRun(true)
  const enabled = !hasRun
  const anyInstance = useQuery({ ...anyInstanceQuery, enabled })
  const types = useQuery({ ...jobTypesQuery, enabled })
  return enabled && anyInstance.isFetchedAfterMount && anyInstance.data === false && types.data?.length === 0
}

export function Welcome() {
  const { data } = useQuery(definitionsQuery(undefined, 0))
  const hasSample = data?.items.some(({ id }) => id === SAMPLE)
  if (hasSample === undefined) return null
  return (
    <section
      id="first-steps"
      aria-label="First steps"
      className="border-accent bg-surface flex flex-col gap-4 rounded-lg border px-4 py-4 shadow-sm"
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
      <ol className="grid gap-4 lg:grid-cols-3">
        {firstSteps(location.origin, hasSample ? SAMPLE : "greet").map((step, index) => (
          <Step key={step.title} number={index + 1} {...step} />
        ))}
      </ol>
    </section>
  )
}

const Step = ({ number, title, text, code }: FirstStep & { readonly number: number }) => (
  <li className="flex min-w-0 flex-col gap-1">
    <div className="flex items-center justify-between gap-2">
      <h3 className="font-semibold">
        <span className="text-muted tabular-nums">{number}.</span> {title}
      </h3>
      <CopyButton text={code} label={`Copy the code: ${title}`} />
    </div>
    <p className="text-muted text-sm">{text}</p>
    <section aria-label={title} tabIndex={0} className="bg-sunken mt-auto h-44 overflow-auto rounded-md p-3">
      <pre className="text-xs leading-5 whitespace-pre-wrap">{code}</pre>
    </section>
  </li>
)
