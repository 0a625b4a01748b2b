// Instances and their history as messages.
import type { wire } from "@millrace/sdk"
import { StepExecution, WorkflowInstance } from "@millrace/sdk/proto"
import { instanceStatuses, stepStatuses, stepTypes } from "./enums.ts"

export const instanceMessage = ({ status, currentStepIds, ...instance }: wire.Instance): WorkflowInstance =>
  WorkflowInstance.fromPartial({
    ...instance,
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
