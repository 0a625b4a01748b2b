// One step of a definition: what it does, where it comes from and leads to, how many are open, and all its settings.

import type { ReactNode } from "react"
import type { Definition, Step } from "../../api/definitions.ts"
import { edgesOf, type GraphEdge } from "../../graph/edges.ts"
import { kindWords, StepIcon } from "../../graph/step-type.tsx"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { Json } from "../../kit/json.tsx"
import { OpenBadges } from "./open-badge.tsx"
import { type OpenByStep, openAt } from "./open-steps.ts"

interface Props {
  readonly definition: Definition
  readonly step: Step
  readonly open: OpenByStep
  readonly onSelect: (stepId: string) => void
}

/** Said in words already; what is left is shown as it stands. */
const SAID = new Set([
  "id",
  "name",
  "type",
  "description",
  "nextStep",
  "conditionalNextSteps",
  "parallelNextSteps",
  "joinStep",
  "jobType",
  "assignee",
  "assigneeGroup",
])

export function StepDetail({ definition, step, open, onSelect }: Props) {
  const edges = edgesOf(definition)
  const links = { definition, onSelect }
  const rest = Object.fromEntries(Object.entries(step).filter(([name]) => !SAID.has(name)))
  const counts = openAt(open, step.id)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div>
        <h3 className="flex items-center gap-2 font-semibold">
          <StepIcon type={step.type} className="text-muted" />
          <span className="min-w-0">
            <Words text={step.name} />
          </span>
        </h3>
        <p className="text-muted text-xs">
          {kindWords(step)} · <code className="break-all">{step.id}</code>
        </p>
      </div>
      {counts.open > 0 && <OpenBadges of={counts} />}
      {step.description && (
        <p className="whitespace-pre-wrap">
          <Words text={step.description} />
        </p>
      )}
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-2 gap-y-1.5">
        {step.jobType && (
          <Fact name="Job type">
            <code className="break-all">{step.jobType}</code>
          </Fact>
        )}
        {step.assignee && (
          <Fact name="For">
            <CutName text={step.assignee} />
          </Fact>
        )}
        {step.assigneeGroup && (
          <Fact name="For group">
            <CutName text={step.assigneeGroup} />
          </Fact>
        )}
        <Fact name="Comes from">
          <Steps {...links} edges={edges.filter(({ to }) => to === step.id)} end="from" none="the start" />
        </Fact>
        <Fact name="Leads to">
          <Steps {...links} edges={edges.filter(({ from }) => from === step.id)} end="to" none="the end" />
        </Fact>
        {step.joinStep && (
          <Fact name="Joins at">
            <StepLink {...links} id={step.joinStep} />
          </Fact>
        )}
      </dl>
      {Object.keys(rest).length > 0 && <Json value={rest} label={`settings of ${step.name}`} />}
    </div>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted text-xs leading-5">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)

interface LinkProps {
  readonly definition: Definition
  readonly onSelect: (stepId: string) => void
}

function Steps({
  edges,
  end,
  none,
  ...links
}: LinkProps & { readonly edges: readonly GraphEdge[]; readonly end: "from" | "to"; readonly none: string }) {
  if (edges.length === 0) return <span className="text-muted">{none}</span>
  return (
    <ul className="flex flex-col gap-1">
      {edges.map((edge) => (
        <li key={edge.id}>
          <StepLink {...links} id={edge[end]} />
          {edge.label && <code className="text-muted block text-xs break-words">{edge.label}</code>}
        </li>
      ))}
    </ul>
  )
}

function StepLink({ definition, onSelect, id }: LinkProps & { readonly id: string }) {
  const name = definition.steps.find((step) => step.id === id)?.name ?? id
  return (
    <button
      type="button"
      className="text-accent max-w-full text-left underline-offset-2 hover:underline"
      onClick={() => onSelect(id)}
    >
      <Words text={name} />
    </button>
  )
}
