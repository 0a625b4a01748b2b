// A definition as it is drawn for one run: a list with the steps that only its record knows, a function as it has unfolded.
import type { Definition, Step } from "../../api/definitions.ts"
import type { RunSteps, StepExecution } from "../../api/instance.ts"
import { unfold } from "./unfold.ts"

export function drawnDefinition(definition: Definition, { form, items }: RunSteps): Definition {
  if (form === "graph") return definition
  if (form === "function") return { ...definition, execution: "graph", steps: unfold(items) }
  const known = new Set(definition.steps.map(({ id }) => id))
  const others = items.filter(({ stepId }) => !known.has(stepId)).map(drawnStep)
  return { ...definition, steps: [...definition.steps, ...others] }
}

const drawnStep = ({ stepId, stepType }: StepExecution): Step => ({ id: stepId, name: stepId, type: stepType })

/** What a list's worker recorded by itself: no execution of the engine, and no change of the variables. */
export const isRecorded = (instanceId: string, { id }: Pick<StepExecution, "id">): boolean =>
  id.startsWith(`${instanceId}/`)

/** A list that starts anew each time tells its steps when an attempt ends: which were run is not known before. */
export const knowsItsSteps = ({ execution }: Definition, steps: readonly StepExecution[]): boolean =>
  execution !== "steplist" || steps.some(({ status }) => status !== "PENDING")

export const hasBegun = (step: StepExecution): step is StepExecution & { readonly startedAt: string } =>
  step.startedAt !== undefined

export const stepName = (definition: Definition, stepId: string): string =>
  definition.steps.find(({ id }) => id === stepId)?.name ?? stepId
