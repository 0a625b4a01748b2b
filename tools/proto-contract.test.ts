// The gRPC contract as existing clients have it: the numbers and names that must never change, written down once more.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

const proto = readFileSync(new URL("../contracts/workflow/v1/engine.proto", import.meta.url), "utf8")

/** The lines of a message or an enum. */
function bodyOf(kind: "message" | "enum", name: string): string[] {
  const found = new RegExp(`^${kind} ${name} \\{\\n(.*?)^\\}`, "ms").exec(proto)
  return (found?.[1] ?? "").split("\n").map((line) => line.trim())
}

/** `name type` by number, below 100. */
function fieldsOf(name: string): Record<number, string> {
  const fields = bodyOf("message", name).flatMap((line) => {
    const found = /^(?:optional )?(.+) (\w+) = (\d+);$/.exec(line)
    return found && Number(found[3]) < 100 ? [[Number(found[3]), `${found[2]} ${found[1]}`] as const] : []
  })
  return Object.fromEntries(fields)
}

function valuesOf(name: string): Record<string, number> {
  const values = bodyOf("enum", name).flatMap((line) => {
    const found = /^(\w+) = (\d+);$/.exec(line)
    return found ? [[found[1], Number(found[2])] as const] : []
  })
  return Object.fromEntries(values)
}

const STRUCT = "google.protobuf.Struct"
const TIME = "google.protobuf.Timestamp"

const MESSAGES: Record<string, Record<number, string>> = {
  WorkflowDefinition: {
    1: "id string",
    2: "version int32",
    3: "name string",
    4: "description string",
    5: "auto_start_next_workflow bool",
    6: "next_workflow_id string",
    7: "steps repeated WorkflowStep",
    8: `metadata ${STRUCT}`,
  },
  WorkflowStep: {
    1: "id string",
    2: "name string",
    3: "type StepType",
    4: "description string",
    10: "next_step string",
    11: "parallel_next_steps repeated string",
    12: "join_step string",
    20: "conditional_next_steps map<string, string>",
    30: "transformations map<string, google.protobuf.Value>",
    40: "job_type string",
    41: "delegate_class string",
    42: "retry_count int32",
    50: "boundary_events repeated BoundaryEvent",
  },
  BoundaryEvent: {
    1: "type BoundaryEventType",
    2: "duration string",
    3: "interrupting bool",
    4: "target_step_id string",
  },
  WorkflowInstance: {
    1: "id string",
    2: "definition_id string",
    3: "definition_version int32",
    4: "status InstanceStatus",
    5: "current_step_ids repeated string",
    6: `variables ${STRUCT}`,
    7: `started_at ${TIME}`,
    8: `completed_at ${TIME}`,
    9: "failure_reason string",
    10: "business_key string",
  },
  StepExecution: {
    1: "id string",
    2: "instance_id string",
    3: "step_id string",
    4: "step_type StepType",
    5: "attempt_number int32",
    6: "status StepExecutionStatus",
    7: `started_at ${TIME}`,
    8: `ended_at ${TIME}`,
    9: "failure_reason string",
  },
  Job: {
    1: "id string",
    2: "job_type string",
    3: "instance_id string",
    4: "step_id string",
    5: "step_execution_id string",
    6: "retries_remaining int32",
    7: `variables ${STRUCT}`,
    8: `lock_expires_at ${TIME}`,
  },
  JobDispatchEvent: {
    1: "schema_version uint32",
    2: "dedup_id string",
    10: "job_id string",
    11: "instance_id string",
    12: "step_execution_id string",
    13: "job_type string",
    20: "retries_remaining int32",
    30: "job_payload bytes",
    40: `created_at ${TIME}`,
  },
  UploadDefinitionRequest: { 1: "definition WorkflowDefinition" },
  UploadDefinitionResponse: { 1: "id string", 2: "version int32", 3: `uploaded_at ${TIME}` },
  GetDefinitionRequest: { 1: "id string", 2: "version int32" },
  ListDefinitionsRequest: { 1: "keyword string", 2: "page int32", 3: "page_size int32" },
  ListDefinitionsResponse: { 1: "definitions repeated WorkflowDefinition", 2: "total int32" },
  StartInstanceRequest: {
    1: "definition_id string",
    2: "definition_version int32",
    3: `variables ${STRUCT}`,
    4: "business_key string",
  },
  CancelInstanceRequest: { 1: "id string", 2: "reason string" },
  ListInstancesRequest: {
    1: "definition_id string",
    2: "status InstanceStatus",
    3: "business_key string",
    4: "page int32",
    5: "page_size int32",
  },
  ListInstancesResponse: { 1: "instances repeated WorkflowInstance", 2: "total int32" },
  PollJobsRequest: {
    1: "worker_id string",
    2: "job_types repeated string",
    3: "max_jobs int32",
    4: "lease_seconds int32",
  },
  PollJobsResponse: { 1: "jobs repeated Job" },
  CompleteJobRequest: { 1: "job_id string", 2: "worker_id string", 3: `variables_to_set ${STRUCT}` },
  FailJobRequest: { 1: "job_id string", 2: "worker_id string", 3: "retryable bool", 4: "error_message string" },
  CompleteUserTaskRequest: {
    2: "completed_by string",
    3: `result ${STRUCT}`,
    4: "instance_id string",
    5: "user_task_step_id string",
  },
  SignalWaitRequest: { 1: "instance_id string", 2: "wait_step_id string", 3: `variables ${STRUCT}` },
}

test.each(Object.entries(MESSAGES))("C-38: the numbers of %s are those of existing clients", (name, fields) => {
  expect(fieldsOf(name)).toEqual(fields)
})

test("C-38: number 1 of CompleteUserTask stays unused", () => {
  expect(bodyOf("message", "CompleteUserTaskRequest")).toContain("reserved 1;")
})

const numbered = (prefix: string, names: string) =>
  Object.fromEntries(["UNSPECIFIED", ...names.split(" ")].map((name, number) => [`${prefix}_${name}`, number]))

test.each([
  [
    "StepType",
    numbered("STEP_TYPE", "SERVICE_TASK USER_TASK DECISION TRANSFORMATION WAIT PARALLEL_GATEWAY JOIN_GATEWAY END"),
  ],
  ["InstanceStatus", numbered("INSTANCE_STATUS", "ACTIVE WAITING COMPLETED FAILED CANCELLED")],
  ["StepExecutionStatus", numbered("STEP_EXECUTION_STATUS", "RUNNING COMPLETED FAILED SKIPPED")],
  ["BoundaryEventType", numbered("BOUNDARY_EVENT_TYPE", "TIMER")],
])("C-37: the values of %s are those of existing clients, and ours begin at 100", (name, values) => {
  const theirs = Object.entries(valuesOf(name)).filter(([, number]) => number < 100)
  expect(Object.fromEntries(theirs)).toEqual(values)
})
