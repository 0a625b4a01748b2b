// The run that undoes another one: what it is called, and what it carries of the run it undoes.
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { Definition } from "../definitions/definition.ts"
import type { RunStepStatus } from "./plan.ts"

/** The workers of a definition take its undo runs too. */
export const undoIdOf = (definitionId: string): string => `${definitionId}:undo`

/** One undo run for each run, and one for each step that was found to be done after the run had ended. */
export const undoKeyOf = (instanceId: string, step?: string): string =>
  step === undefined ? `${instanceId}/undo` : `${instanceId}/undo/${step}`

/** A step as the run that has ended had it on record. */
export interface CarriedStep {
  readonly name: string
  readonly status: RunStepStatus
  readonly value?: JsonValue
  readonly error?: string
  readonly undo: boolean
}

export interface UndoneRun {
  readonly id: string
  readonly definitionId: string
  readonly status: "FAILED" | "CANCELLED"
  readonly reason: string | undefined
  readonly input: JsonObject
}

/** What an undo run is started with: all it has to know, because the run it undoes may be deleted before it. */
export interface UndoInput extends JsonObject {
  readonly undoes: string
  readonly workflow: string
  readonly status: string
  readonly reason: string | null
  readonly input: JsonObject
  /** All that was on record, in the order in which the steps ended. */
  readonly steps: JsonValue[]
}

/** Undefined where no step is to be undone: what has failed, or waits, was not done. */
export function undoInput(run: UndoneRun, steps: readonly CarriedStep[]): UndoInput | undefined {
  if (!steps.some(isToBeUndone)) return undefined
  const { id: undoes, definitionId: workflow, status, reason = null, input } = run
  return { undoes, workflow, status, reason, input, steps: steps.map((step) => ({ ...step }) as JsonObject) }
}

export const isToBeUndone = ({ status, undo }: CarriedStep): boolean => undo && status === "COMPLETED"

/** The last step is undone first. */
export const inOrderOfUndoing = (steps: readonly CarriedStep[]): readonly CarriedStep[] =>
  steps.filter(isToBeUndone).reverse()

/** The same for every version of the workflow: the undos are in the code of its workers. */
export function undoDefinition(workflow: string): Definition {
  const id = undoIdOf(workflow)
  const retry = { retries: 20, base: "PT1S", factor: 2, cap: "PT1H", jitter: "partial" } as const
  return {
    id,
    name: `Undo of ${workflow}`.slice(0, 200),
    execution: "steplist",
    recover: "resume",
    steps: [{ id, name: "Undo", type: "SERVICE_TASK", jobType: id, retry }],
    metadata: { form: "undo", claim: "lease", retries: retry.retries, undoes: workflow },
  }
}
