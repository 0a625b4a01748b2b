// sdks/go/millrace/wire_gen.go: the types that a client in Go gives and takes, from contracts/openapi.yaml.
import { goName } from "./go-fields.ts"
import { goDeclarations } from "./go-types.ts"
import { type Contract, type Route, routesOf, type Schema } from "./schema.ts"

const HEAD = `// Code generated from contracts/openapi.yaml by \`npm run generate\`. DO NOT EDIT.

package millrace

import "time"`

/** What the client's methods name; what these refer to comes with them. */
const ROOTS =
  `Violation Definition DefinitionSummary DefinitionVersion DefinitionActivity DefinitionPage StepStatus StartInstance RestartInstance
Instance InstancePage StepExecution RunSteps FoundInstance SearchInstancesQuery AuditEntry WaitingReason TakenIn Woken CompleteUserTask
UserTask UserTaskPage LiveJobPage UnclaimUserTask DelegateUserTask UserTaskDue EndedJobPage JobAttemptList RerunJob ListEndedJobsQuery
PollRequest CompleteNamedJob FailNamedJob HeartbeatResult ExchangeRequest ExchangeResult EnqueueJob StandaloneJob BulkRequest Bulk
DeadLetterPage DeadLetterDetail DeadLetterGroup DeadLetterBulk DeadLetterBulkRequest ReplayedDeadLetter ScheduleRequest
ScheduleChange Schedule SchedulePage ScheduleRunPage WeightsInForce Weights Watermarks WatermarksInForce QueueMetrics PauseRequest
Pause DownstreamLimits Downstream JobType JobTypeSettings WorkerList Overview Stats Health Session ListDefinitionsQuery
ListInstancesQuery ListUserTasksQuery ListJobsQuery ListDeadLettersQuery ListSchedulesQuery NewEvent NewEvents PublishedEvent
PublishedEvents Sink ForgetSink ParkedEventPage ReplayedEvent ParkedChangeRequest ParkedChange ListParkedEventsQuery`.split(
    /\s+/,
  )

export function goWire(contract: Contract): string {
  const queries = Object.fromEntries(routesOf(contract).map(querySchema))
  const declarations = goDeclarations({ ...contract.components.schemas, ...queries }, ROOTS)
  return `${[HEAD, ...declarations].join("\n\n")}\n`
}

/** The query of an operation as an object. */
function querySchema({ operation, parameters, method, path }: Route): [string, Schema] {
  const fields = parameters.filter((one) => one.in === "query")
  const properties = Object.fromEntries(
    fields.map(({ name, schema, description = "" }) => [name, { ...schema, description }]),
  )
  const description = `the query of ${method} ${path}.`
  return [`${goName(operation.operationId)}Query`, { description, properties }]
}

export interface CataloguedCode {
  readonly status: number
  readonly grpc: string
  readonly retryable: boolean
  readonly advice: string
}

/** sdks/go/millrace/codes_gen.go: the catalogue of errors. */
export function goCodes(catalogue: Readonly<Record<string, CataloguedCode>>): string {
  const codes = Object.keys(catalogue).map((code) => `\tCode${goName(code)} = "${code}"`)
  const rows = Object.entries(catalogue).map(
    ([code, { status, grpc, retryable, advice }]) =>
      `\t{Code${goName(code)}, ${status}, "${grpc}", ${retryable}, ${JSON.stringify(advice)}},`,
  )
  return `// Code generated from contracts/errors.yaml by \`npm run generate\`. DO NOT EDIT.

package millrace

// The codes by which the engine refuses. A newer engine may know more.
const (
${codes.join("\n\n")}
)

var catalogue = []CataloguedCode{
${rows.join("\n")}
}
`
}
