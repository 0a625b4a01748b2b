// The refusal of a call about a step of another type, which names the call that fits.
import { badRequest, type EngineError } from "../../support/errors.ts"
import type { StepType } from "../definitions/definition.ts"

const INSTEAD: Readonly<Partial<Record<StepType, string>>> = {
  USER_TASK: ": complete it as a user task",
  WAIT: ": send it a signal",
}

export const wrongStep = (stepId: string, type: StepType, wanted: StepType): EngineError =>
  badRequest(`${stepId} is a ${type}, not a ${wanted}${INSTEAD[type] ?? ""}`)
