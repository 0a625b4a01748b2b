// The steps of a run, told alike for lists, functions and graphs.
import type { RunFacts } from "./run-facts.ts"
import type { RunStepView } from "./run-step.ts"
import { stepsOfGraph } from "./steps-of-graph.ts"
import { stepsOfList } from "./steps-of-list.ts"

export const tellSteps = (facts: RunFacts): readonly RunStepView[] =>
  facts.definition?.isList ? stepsOfList(facts) : stepsOfGraph(facts)

/** Those that it works on or waits at, each once. */
export const currentSteps = (steps: readonly RunStepView[]): readonly string[] => [
  ...new Set(steps.filter(({ status }) => status === "RUNNING" || status === "WAITING").map(({ stepId }) => stepId)),
]
