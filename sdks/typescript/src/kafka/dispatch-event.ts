// A JobDispatchEvent, the value of a message in a topic of jobs, as the job that it brings.
import type { Job } from "../client/job-types.ts"
import type { Priority, Variables } from "../generated/wire.ts"
import {
  boolField,
  bytesField,
  doubleField,
  int32Field,
  type ProtoFields,
  readFields,
  textField,
} from "./proto-fields.ts"

export interface DispatchEvent {
  /** The id of one dispatch of a job. It stays the same when the message is published or delivered again. */
  readonly dedupId: string
  readonly job: Job
  /** They were too large for the message, and stayed with the engine. */
  readonly lacksVariables: boolean
}

/** Throws where the value is no dispatch event. The handler sees `lockExpiresAt`. */
export function readDispatchEvent(value: Buffer, lockExpiresAt: string): DispatchEvent {
  const fields = readFields(value)
  const job = jobOf(fields, lockExpiresAt)
  if (job.id === "" || job.jobType === "") throw new TypeError("it names no job")
  return { dedupId: textField(fields, 2), job, lacksVariables: boolField(fields, 110) }
}

function jobOf(fields: ProtoFields, lockExpiresAt: string): Job {
  const id = textField(fields, 10)
  return {
    id,
    instanceId: textField(fields, 11),
    stepExecutionId: textField(fields, 12),
    jobType: textField(fields, 13),
    retriesRemaining: int32Field(fields, 20),
    variables: variablesOf(bytesField(fields, 30)),
    leaseToken: textField(fields, 100),
    attempt: Math.max(1, int32Field(fields, 101)),
    priority: (textField(fields, 102) || "normal") as Priority,
    definitionId: textField(fields, 103),
    idempotencyKey: textField(fields, 105) || textField(fields, 12) || id,
    stepId: textField(fields, 109),
    lockExpiresAt,
    ...optionalOf(fields),
  }
}

function optionalOf(fields: ProtoFields): Pick<Job, "businessKey" | "timeoutSeconds" | "traceparent" | "tracestate"> {
  const [businessKey, timeoutSeconds] = [textField(fields, 104), doubleField(fields, 106)]
  const [traceparent, tracestate] = [textField(fields, 107), textField(fields, 108)]
  return {
    ...(businessKey ? { businessKey } : {}),
    ...(timeoutSeconds > 0 ? { timeoutSeconds } : {}),
    ...(traceparent ? { traceparent } : {}),
    ...(tracestate ? { tracestate } : {}),
  }
}

function variablesOf(payload: Buffer): Variables {
  if (payload.length === 0) return {}
  const variables: unknown = JSON.parse(payload.toString())
  if (typeof variables === "object" && variables !== null && !Array.isArray(variables)) return variables as Variables
  throw new TypeError("its payload is no JSON object")
}
