// A definition as it is drawn for one run: a list with the steps as the run has them, which may have ended under a newer version, a
// function as it has unfolded.
import type { Definition, Step } from "../../api/definitions.ts"
import type { RunSteps, StepExecution } from "../../api/instance.ts"
import { unfold } from "./unfold.ts"

export function drawnDefinition(definition: Definition, { form, items }: RunSteps): Definition {
  if (form === "graph") return definition
  if (form === "function")
    return { ...definition, execution: "graph", steps: unfold(items).map((step) => named(definition, step)) }
  const known = new Map(definition.steps.map((step) => [step.id, step]))
  const steps = items.map((item) => known.get(item.stepId) ?? named(definition, drawnStep(item)))
  return { ...definition, steps: [...steps, ...definition.steps.filter(({ type }) => type === "END")] }
}

const drawnStep = ({ stepId, stepType }: StepExecution): Step => ({ id: stepId, name: stepId, type: stepType })

/** What is known of a run and not of one of its steps has the name of its workflow. */
const named = ({ id }: Definition, step: Step): Step => (step.id === id ? { ...step, name: "the whole run" } : step)

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
