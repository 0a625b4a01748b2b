// A map of conditions has no order: where two of them could both hold, it is not said which of them wins.
import type { WorkflowDefinition, WorkflowStep } from "@millrace/sdk/proto"
import { overlappingPair } from "../../../model/definitions/overlapping-conditions.ts"

/** More would be a page that is not read, and trailers have a limit. */
const MOST = 20

/** Expects a definition that was accepted, so its conditions can be parsed. */
export const orderWarnings = ({ steps }: WorkflowDefinition): string[] => steps.flatMap(stepWarning).slice(0, MOST)

function stepWarning(step: WorkflowStep, index: number): string[] {
  if (step.orderedConditionalNextSteps.length > 0) return []
  const pair = overlappingPair(Object.keys(step.conditionalNextSteps).sort())
  if (!pair) return []
  const [first, second] = pair.map((condition) => JSON.stringify(condition.slice(0, 100)))
  return [
    `$.steps[${index}].conditionalNextSteps: ${first} and ${second} may both hold, and a map has no order: they are tried sorted by ` +
      "their text; send ordered_conditional_next_steps to say the order",
  ]
}
