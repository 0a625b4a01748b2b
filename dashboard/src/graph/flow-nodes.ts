// The steps as the graph library takes them. What has not changed stays the same object, and is not drawn again.
import { useMemo, useRef } from "react"
import type { Definition, Step } from "../api/definitions.ts"
import { isLast } from "./edges.ts"
import type { GraphLayout } from "./placed.ts"
import { flowNode, type StepMark, type StepNode } from "./step-node.tsx"
import { kindWords } from "./step-type.tsx"

interface Shown {
  readonly definition: Definition
  readonly layout: GraphLayout
  readonly marks: Readonly<Record<string, StepMark>>
  readonly selected: string | undefined
  readonly active: string | undefined
  /** True for the graph of an instance, where a step without a mark has not been reached. */
  readonly isOfInstance: boolean
}

export function useFlowNodes({ definition, layout, marks, selected, active, isOfInstance }: Shown): StepNode[] {
  const kept = useRef(new Map<string, { readonly key: string; readonly node: StepNode }>())
  const keptOf = useRef(layout)
  return useMemo(() => {
    if (keptOf.current !== layout) kept.current.clear()
    keptOf.current = layout
    return definition.steps.flatMap((step, index) => {
      const place = layout.nodes[index]
      if (!place) return []
      const mark = marks[step.id]
      const isUntouched = isOfInstance && mark === undefined
      const kind = kindOf(step, definition)
      const data = { step, kind, mark, isUntouched, isSelected: step.id === selected, isActive: step.id === active }
      const key = [mark?.tone, mark?.lines.join("\n"), isUntouched, data.isSelected, data.isActive].join("\t")
      const before = kept.current.get(step.id)
      if (before?.key === key) return [before.node]
      const node = flowNode(place, data)
      kept.current.set(step.id, { key, node })
      return [node]
    })
  }, [definition, layout, marks, selected, active, isOfInstance])
}

/** A path may end without END; in a list the next step follows anyway. */
const kindOf = (step: Step, { execution }: Definition): string =>
  `${kindWords(step)}${execution !== "steplist" && step.type !== "END" && isLast(step) ? ", ends here" : ""}`
