// Instances, their history and jobs as the messages of gRPC have them, in the JSON of REST.

import type { Instance, Job, StepExecution } from "../generated/wire.ts"
import type * as proto from "../proto/index.ts"
import { EnumNames } from "./enum-names.ts"
import type { Proto } from "./load-proto.ts"
import { present, someOf } from "./present.ts"

export class InstanceMessages {
  readonly statuses: EnumNames
  readonly #stepTypes: EnumNames
  readonly #stepStatuses: EnumNames

  constructor({ InstanceStatus, StepType, StepExecutionStatus }: Proto) {
    this.statuses = new EnumNames("INSTANCE_STATUS_", InstanceStatus)
    this.#stepTypes = new EnumNames("STEP_TYPE_", StepType)
    this.#stepStatuses = new EnumNames("STEP_EXECUTION_STATUS_", StepExecutionStatus)
  }

  instance(message: proto.WorkflowInstance | undefined): Instance {
    const { status, variables = {}, currentStepIds, ...rest } = message ?? ({} as proto.WorkflowInstance)
    return { ...present(rest), status: this.statuses.name(status), currentStepIds, variables } as unknown as Instance
  }

  execution({ stepType, status, attempts, output, ...rest }: proto.StepExecution): StepExecution {
    const json = {
      ...present(rest),
      stepType: this.#stepTypes.name(stepType),
      status: this.#stepStatuses.name(status),
      ...(output === undefined ? {} : { output }),
      ...someOf("attempts", attempts.map(attemptJson)),
    }
    return json as StepExecution
  }
}

const attemptJson = ({ error, ...rest }: proto.StepAttempt) => ({ ...present(rest), error })

/** A standalone job has no instance: these are empty, and not absent. */
export function jobJson(message: proto.Job): Job {
  const { variables = {}, retriesRemaining, instanceId, stepId, stepExecutionId, definitionId, ...rest } = message
  const always = { instanceId, stepId, stepExecutionId, definitionId, retriesRemaining, variables }
  return { ...present(rest), ...always } as unknown as Job
}
