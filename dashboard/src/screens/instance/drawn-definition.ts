// A definition as it is drawn for one instance: with the run of a list, and with the steps only its history knows.
import type { Definition, Step } from "../../api/definitions.ts"
import type { StepExecution } from "../../api/instance.ts"

/** The run of a list is an execution named like the definition; a function's steps are known when they were run. */
export function drawnDefinition(definition: Definition, history: readonly StepExecution[]): Definition {
  if (definition.execution !== "steplist") return definition
  const known = new Set(definition.steps.map(({ id }) => id))
  const run: Step = { id: definition.id, name: `${definition.name}, the run`, type: "SERVICE_TASK" }
  const found = new Map(
    history.filter(({ stepId }) => stepId !== definition.id && !known.has(stepId)).map((step) => [step.stepId, step]),
  )
  const recorded = [...found.values()].map(
    ({ stepId, stepType }): Step => ({ id: stepId, name: stepId, type: stepType }),
  )
  return { ...definition, steps: [...(known.has(definition.id) ? [] : [run]), ...definition.steps, ...recorded] }
}

/** What a list's worker recorded by itself: no execution of the engine, and no change of the variables. */
export const isRecorded = (instanceId: string, { id }: Pick<StepExecution, "id">): boolean =>
  id.startsWith(`${instanceId}/`)

/** A task of a list is recorded twice, by the run that asked for it and by the engine that opened it: the latter is shown. */
export function shownHistory(instanceId: string, history: readonly StepExecution[]): readonly StepExecution[] {
  const opened = new Set(history.filter((step) => !isRecorded(instanceId, step)).map(({ stepId }) => stepId))
  return history.filter((step) => !(isRecorded(instanceId, step) && opened.has(step.stepId)))
}

/** A list that starts anew each time records nothing between its steps: which were run is not known. */
export const knowsItsSteps = ({ id, execution }: Definition, history: readonly StepExecution[]): boolean =>
  execution !== "steplist" || history.some(({ stepId }) => stepId !== id)

export const stepName = (definition: Definition, stepId: string): string =>
  definition.steps.find(({ id }) => id === stepId)?.name ?? stepId
