// The steps that a restart may begin with: none inside a fork, whose other branches would be missing.
import type { Definition, Step } from "../../../api/definitions.ts"
import { edgesOf, type GraphEdge } from "../../../graph/edges.ts"

export function restartSteps(definition: Pick<Definition, "id" | "steps" | "execution">): readonly Step[] {
  // The whole list is a step, too, to the engine alone.
  const steps = definition.steps.filter(({ id }) => id !== definition.id)
  if (definition.execution === "steplist") return steps
  const edges = edgesOf(definition)
  const inside = new Set(steps.flatMap((step) => insideFork(step, steps, edges)))
  return steps.filter(({ id, type }) => type === "JOIN_GATEWAY" || !inside.has(id))
}

/** Between a fork and its join. What a timer starts beside a step belongs to no branch. */
function insideFork({ parallelNextSteps = [], joinStep }: Step, steps: readonly Step[], edges: readonly GraphEdge[]) {
  const inside = new Set(parallelNextSteps)
  // A set can grow while it is walked: new members are visited too.
  for (const id of inside) {
    const beside = besideOf(steps.find((step) => step.id === id))
    for (const { from, to } of edges) if (from === id && to !== joinStep && !beside.has(to)) inside.add(to)
  }
  return [...inside]
}

const besideOf = ({ boundaryEvents = [] }: Partial<Step> = {}): ReadonlySet<string> =>
  new Set(
    boundaryEvents
      .filter(({ type, interrupting }) => type === "TIMER" && interrupting !== true)
      .map(({ targetStepId }) => targetStepId),
  )
