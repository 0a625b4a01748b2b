// The steps of a run, told alike for lists, functions and graphs.
import type { RunFacts } from "./run-facts.ts"
import type { RunStepView } from "./run-step.ts"
import { stepsOfGraph } from "./steps-of-graph.ts"
import { stepsOfList } from "./steps-of-list.ts"

export function tellSteps(facts: RunFacts): readonly RunStepView[] {
  const { definition } = facts
  return definition?.isList ? stepsOfList({ ...facts, definition }) : stepsOfGraph(facts)
}

/** The steps that the run works on or waits at, each id once. */
export const currentSteps = (steps: readonly RunStepView[]): readonly string[] => [
  ...new Set(steps.filter(({ status }) => status === "RUNNING" || status === "WAITING").map(({ stepId }) => stepId)),
]
