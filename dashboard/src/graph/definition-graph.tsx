// A definition drawn as a graph, to look at: zoom, pan, walk through it with the keyboard, select a step.
import { ReactFlow } from "@xyflow/react"
import { memo, useEffect, useMemo, useRef, useState } from "react"
import type { Definition } from "../api/definitions.ts"
import { Button } from "../kit/button.tsx"
import { cx } from "../kit/classes.ts"
import { useFlowNodes } from "./flow-nodes.ts"
import { GraphLines } from "./graph-lines.tsx"
import { bringIntoView, type Flow, MAX_ZOOM, MIN_ZOOM, showAll, showFirst } from "./graph-view.ts"
import { layoutDefinition } from "./layout.ts"
import { StepListbox } from "./step-listbox.tsx"
import { StepBox, type StepMark } from "./step-node.tsx"
import "@xyflow/react/dist/base.css"

export type { StepMark } from "./step-node.tsx"

interface Props {
  readonly definition: Definition
  /** How steps stand. */
  readonly marks?: Readonly<Record<string, StepMark>>
  /** Ids of the edges that an instance has gone along. Where it is given, a step without a mark has not been reached. */
  readonly taken?: ReadonlySet<string>
  readonly selected?: string
  readonly onSelect?: (stepId: string) => void
  readonly label: string
  readonly className?: string
}

const NODE_TYPES = { step: StepBox }
const NO_MARKS: Readonly<Record<string, StepMark>> = {}

export const DefinitionGraph = memo(function DefinitionGraph(props: Props) {
  const { definition, marks = NO_MARKS, taken, selected, onSelect, label, className } = props
  const frame = useRef<HTMLDivElement>(null)
  const [flow, setFlow] = useState<Flow>()
  const [active, setActive] = useState<string>()
  const lines = useMemo(
    () => Object.values(marks).reduce((most, mark) => Math.max(most, mark.lines.length), 1),
    [marks],
  )
  const layout = useMemo(() => layoutDefinition(definition, lines), [definition, lines])
  const nodes = useFlowNodes({ definition, layout, marks, selected, active, isOfInstance: taken !== undefined })

  useEffect(() => {
    const wanted = layout.nodes.find(({ id }) => id === (active ?? selected))
    if (flow && frame.current && wanted) bringIntoView(flow, wanted, sizeOf(frame.current))
  }, [flow, layout, active, selected])

  const begin = (instance: Flow) => {
    const wanted = selected ?? standingOut(definition, marks)
    if (frame.current) showFirst(instance, { layout, frame: sizeOf(frame.current), wanted })
    setFlow(instance)
  }
  const fit = () => flow && frame.current && showAll(flow, layout, sizeOf(frame.current))
  return (
    <section aria-label={label} className={cx("bg-ground relative flex flex-col overflow-hidden", className)}>
      <StepListbox
        label={label}
        steps={definition.steps}
        marks={marks}
        selected={selected}
        onSelect={onSelect}
        onActive={setActive}
      />
      <div ref={frame} className="min-h-0 grow">
        <ReactFlow
          nodes={nodes}
          nodeTypes={NODE_TYPES}
          onInit={begin}
          onNodeClick={(_event, { id }) => onSelect?.(id)}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          onlyRenderVisibleElements
          disableKeyboardA11y
          minZoom={MIN_ZOOM}
          maxZoom={MAX_ZOOM}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          // The attribution would cover the labels, so it is written below the drawing instead.
          proOptions={{ hideAttribution: true }}
        >
          <GraphLines edges={layout.edges} taken={taken} />
        </ReactFlow>
      </div>
      <a className="text-muted self-end px-2 text-xs" href="https://reactflow.dev" target="_blank" rel="noreferrer">
        React Flow
      </a>
      {/* Over the drawing where there is room beside the steps, else below it. */}
      <div className="flex justify-end gap-1 p-2 sm:absolute sm:top-0 sm:right-0 sm:z-10">
        <Zoom label="Zoom in" text="+" onClick={() => void flow?.zoomIn()} />
        <Zoom label="Zoom out" text="−" onClick={() => void flow?.zoomOut()} />
        <Zoom label="Fit the whole graph" text="Fit" onClick={fit} />
      </div>
    </section>
  )
})

const Zoom = ({
  label,
  text,
  onClick,
}: {
  readonly label: string
  readonly text: string
  readonly onClick: () => void
}) => (
  <Button aria-label={label} title={label} className="h-7 min-w-7 px-1.5 py-0 text-xs" onClick={onClick}>
    {text}
  </Button>
)

const sizeOf = ({ clientWidth: width, clientHeight: height }: HTMLElement) => ({ width, height })

/** What a reader came to see: a failed step, else one that is open. */
function standingOut({ steps }: Definition, marks: Readonly<Record<string, StepMark>>): string | undefined {
  const first = (tones: readonly string[]) => steps.find(({ id }) => tones.includes(marks[id]?.tone ?? ""))?.id
  return first(["bad"]) ?? first(["warn", "info"])
}
