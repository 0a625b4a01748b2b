// The steps of a definition as a table: in their order, with what is open at each.

import type { Definition, Step } from "../../api/definitions.ts"
import { edgesOf } from "../../graph/edges.ts"
import { kindWords, StepIcon } from "../../graph/step-type.tsx"
import { cx } from "../../kit/classes.ts"
import { CutText, Words } from "../../kit/cut-text.tsx"
import { Table } from "../../kit/table.tsx"
import { OpenBadges } from "./open-badge.tsx"
import { type OpenByStep, openAt } from "./open-steps.ts"
import { StepDetail } from "./step-detail.tsx"

interface Props {
  readonly definition: Definition
  readonly open: OpenByStep
  readonly selected: string | undefined
  readonly onSelect: (stepId: string) => void
}

export function StepTable({ definition, open, selected, onSelect }: Props) {
  const nameOf = new Map(definition.steps.map(({ id, name }) => [id, name]))
  const edges = edgesOf(definition)
  const leadsTo = (step: Step): string =>
    edges
      .filter(({ from }) => from === step.id)
      .map(({ to }) => nameOf.get(to) ?? to)
      .join(", ")
  const chosen = definition.steps.find(({ id }) => id === selected)
  return (
    <div className={cx(chosen && "lg:grid lg:grid-cols-[minmax(0,1fr)_20rem]")}>
      <Table
        caption="Steps"
        rows={definition.steps}
        keyOf={({ id }) => id}
        isMarked={({ id }) => id === selected}
        columns={[
          { name: "Step", className: "min-w-40", cell: (step) => <Name step={step} onSelect={onSelect} /> },
          { name: "Type", cell: (step) => <span className="text-muted whitespace-nowrap">{kindWords(step)}</span> },
          { name: "Open", cell: ({ id }) => <OpenBadges of={openAt(open, id)} /> },
          {
            name: "Leads to",
            className: "min-w-32",
            cell: (step) => <CutText text={leadsTo(step)} className="text-muted max-w-64" />,
          },
        ]}
      />
      {chosen && (
        <section aria-label="Step" className="border-line border-t p-4 lg:border-t-0 lg:border-l">
          <StepDetail definition={definition} step={chosen} open={open} onSelect={onSelect} />
        </section>
      )}
    </div>
  )
}

const Name = ({ step, onSelect }: { readonly step: Step; readonly onSelect: (stepId: string) => void }) => (
  <button type="button" onClick={() => onSelect(step.id)} className="flex items-center gap-2 text-left">
    <StepIcon type={step.type} className="text-muted" />
    <span className="min-w-0">
      <span className="text-accent block font-medium underline-offset-2 hover:underline">
        <Words text={step.name} />
      </span>
      <code className="text-muted block text-xs break-all">{step.id}</code>
    </span>
  </button>
)
