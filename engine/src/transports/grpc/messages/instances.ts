// Instances and their history as messages.
import type { wire } from "@millrace/sdk"
import { StepExecution, WorkflowInstance } from "@millrace/sdk/proto"
import { fitsAlone } from "../../calls/answer-size.ts"
import type { Said } from "../rpc.ts"
import { structBytes } from "../struct-bytes.ts"
import { instanceStatuses, stepStatuses, stepTypes } from "./enums.ts"

/** Variables that no message can carry are left out with a warning: the request itself has been done. */
export const instanceMessage = (
  { status, currentStepIds, ...instance }: wire.Instance,
  { warn }: Pick<Said, "warn">,
): WorkflowInstance =>
  WorkflowInstance.fromPartial({
    ...withinMessage(instance, warn),
    currentStepIds: [...currentStepIds],
    status: instanceStatuses.numberOf(status),
  })

export const executionMessage = ({
  stepType,
  status,
  attempts = [],
  ...execution
}: wire.StepExecution): StepExecution =>
  StepExecution.fromPartial({
    ...execution,
    attempts: [...attempts],
    stepType: stepTypes.numberOf(stepType),
    status: stepStatuses.numberOf(status),
  })

type Shown = Omit<wire.Instance, "status" | "currentStepIds">

function withinMessage({ variables, input, ...instance }: Shown, warn: Said["warn"]): Partial<Shown> {
  if (fitsAlone(JSON.stringify({ variables, input }), structBytes))
    return { ...instance, variables, ...(input && { input }) }
  warn(`the variables of ${instance.id} are left out: they are larger than a gRPC message may be; read them over REST`)
  return instance
}
