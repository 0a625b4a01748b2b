// The graph of a definition with live counts on its steps, and the step that is selected beside it.
import { lazy, Suspense, useMemo } from "react"
import type { Definition } from "../../api/definitions.ts"
import { cx } from "../../kit/classes.ts"
import { Loading } from "../../kit/states.tsx"
import { marksOf, type OpenByStep } from "./open-steps.ts"
import { StepDetail } from "./step-detail.tsx"

const DefinitionGraph = lazy(() =>
  import("../../graph/definition-graph.tsx").then((module) => ({ default: module.DefinitionGraph })),
)

const HEIGHT = "h-96 lg:h-[36rem]"

interface Props {
  readonly definition: Definition
  readonly open: OpenByStep
  readonly selected: string | undefined
  readonly onSelect: (stepId: string) => void
}

export function GraphPanel({ definition, open, selected, onSelect }: Props) {
  const step = definition.steps.find(({ id }) => id === selected)
  const marks = useMemo(() => marksOf(definition, open), [definition, open])
  return (
    <div className="lg:grid lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Suspense
        fallback={
          <div className={HEIGHT}>
            <Loading what="Drawing" />
          </div>
        }
      >
        <DefinitionGraph
          key={definition.version}
          definition={definition}
          marks={marks}
          selected={step?.id}
          onSelect={onSelect}
          label={`Graph of ${definition.name}`}
          className={cx(HEIGHT, "lg:rounded-bl-lg")}
        />
      </Suspense>
      <section
        aria-label="Step"
        tabIndex={0}
        className="border-line max-h-[36rem] overflow-y-auto border-t p-4 lg:border-t-0 lg:border-l"
      >
        {step ? (
          <StepDetail definition={definition} step={step} open={open} onSelect={onSelect} />
        ) : (
          <p className="text-muted">
            Select a step to see its settings: with a click, or with j and k.
            {open.size > 0 && " The numbers are steps that are open now."}
          </p>
        )}
      </section>
    </div>
  )
}
