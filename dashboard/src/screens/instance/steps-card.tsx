// The steps of the run as a waterfall or as a graph, and beside them the step that was selected, or all of them as a list.
import { lazy, Suspense, useCallback, useMemo } from "react"
import type { Definition } from "../../api/definitions.ts"
import type { RunSteps, StepExecution } from "../../api/instance.ts"
import { isLive } from "../../api/instances.ts"
import { edgesOf } from "../../graph/edges.ts"
import { takenEdges, takenInList } from "../../graph/taken.ts"
import { useKeys } from "../../kit/keys.ts"
import { Loading } from "../../kit/states.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { useNow } from "../../kit/time.tsx"
import type { Ask } from "./dialogs/dialogs.tsx"
import { hasBegun, knowsItsSteps } from "./drawn-definition.ts"
import type { PanelProps } from "./panels/panel-props.ts"
import type { PossibleActions } from "./possible-actions.ts"
import { StepList } from "./step-list.tsx"
import { StepPanel } from "./step-panel.tsx"
import { marksOf } from "./step-words.ts"
import { Waterfall } from "./waterfall/waterfall.tsx"

// Fetched while the instance is read, not after.
const graph = import("../../graph/definition-graph.tsx")
const DefinitionGraph = lazy(async () => ({ default: (await graph).DefinitionGraph }))

interface Props extends PanelProps {
  readonly form: RunSteps["form"]
  readonly actions: PossibleActions
  readonly ask: Ask
}

const VIEWS = [
  { name: "waterfall", label: "Waterfall" },
  { name: "graph", label: "Graph" },
] as const

export function StepsCard(props: Props) {
  const { instance, definition, form, history, reasons, search, change, actions, ask } = props
  const selected = search.step
  const onSelect = useCallback((step: string | undefined) => change({ step }), [change])
  const clock = useNow()
  // What has ended does not change with the clock.
  const now = isLive(instance) ? clock : 0
  const marks = useMemo(() => marksOf(history, reasons, now), [history, reasons, now])
  const taken = useMemo(() => travelled(definition, history), [definition, history])
  useStepKeys(definition, selected, onSelect)
  // A graph is known by its drawing, code by the order in which it ran.
  const view = search.view ?? (form === "graph" ? "graph" : "waterfall")
  const step = definition.steps.find(({ id }) => id === selected)
  return (
    <section className="border-line bg-surface grid overflow-hidden rounded-lg border lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Tabs label="How the steps are drawn" tabs={VIEWS} current={view} onChange={(view) => change({ view })}>
        {view === "waterfall" ? (
          <div className="max-h-80 overflow-y-auto lg:max-h-[34rem]">
            <Waterfall {...props} />
          </div>
        ) : (
          <Suspense
            fallback={
              <div className={FRAME}>
                <Loading what="Drawing the graph" />
              </div>
            }
          >
            <DefinitionGraph
              definition={definition}
              marks={marks}
              taken={taken}
              selected={selected}
              onSelect={onSelect}
              label={`Graph of ${definition.name}`}
              className={FRAME}
            />
          </Suspense>
        )}
      </Tabs>
      <div className="border-line max-h-[34rem] min-w-0 overflow-y-auto border-t lg:border-t-0 lg:border-l">
        {step ? (
          <StepPanel
            step={step}
            executions={history.filter(({ stepId }) => stepId === step.id)}
            reasons={reasons}
            actions={actions}
            ask={ask}
            onClose={() => onSelect(undefined)}
          />
        ) : (
          <StepList definition={definition} marks={marks} isKnown={taken !== undefined} onSelect={onSelect} />
        )}
      </div>
    </section>
  )
}

function travelled(definition: Definition, history: readonly StepExecution[]): ReadonlySet<string> | undefined {
  if (!knowsItsSteps(definition, history)) return undefined
  const isCode = definition.execution === "steplist" || definition.metadata?.form === "function"
  const find = isCode ? takenInList : takenEdges
  return find(edgesOf(definition), history.filter(hasBegun))
}

const FRAME = "h-80 lg:h-[34rem]"

/** j and k go from step to step, Escape back to all of them. */
function useStepKeys({ steps }: Definition, selected: string | undefined, onSelect: (stepId?: string) => void): void {
  const move = (by: 1 | -1) => {
    const at = steps.findIndex(({ id }) => id === selected)
    const next = at < 0 ? 0 : Math.min(steps.length - 1, Math.max(0, at + by))
    onSelect(steps[next]?.id)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(selected === undefined ? {} : { Escape: () => onSelect(undefined) }),
  })
}
