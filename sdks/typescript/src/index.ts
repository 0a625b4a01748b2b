// The public face of @millrace/sdk: everything a worker or a client imports.

export { backoffMs } from "./calls/backoff.ts"
export type { CallOptions } from "./calls/caller.ts"
export {
  type ErrorCode,
  MillraceError,
  ServerTooOldError,
  TransportError,
  type TransportFailure,
} from "./calls/errors.ts"
export type { Logger } from "./calls/logger.ts"
export type { AskedArguments, ChangeOptions } from "./calls/operation-caller.ts"
export type { Answer, Asked, OperationId } from "./calls/operations.ts"
export { InvalidIdError } from "./calls/paths.ts"
export type { TraceContext } from "./calls/trace-context.ts"
export { UnknownFieldError } from "./calls/unknown-fields.ts"
export { RestOnlyError } from "./client/connection.ts"
export { EngineClient } from "./client/engine-client.ts"
export type { EngineClientOptions } from "./client/engine-client-options.ts"
export type { IntakeOptions } from "./client/inbox-client.ts"
export type * from "./client/instance-types.ts"
export type * from "./client/job-types.ts"
export type * from "./client/queue-types.ts"
export { type SubmitOptions, type Submitted, submit } from "./client/submit.ts"
export { Workflow, workflow } from "./definition/workflow.ts"
export type * as wire from "./generated/wire.ts"
export type {
  AuditEntry,
  BoundaryEvent,
  Bulk,
  BulkRequest,
  Decision,
  Definition,
  DefinitionActivity,
  DefinitionPage,
  DefinitionSummary,
  DefinitionVersion,
  Downstream,
  DownstreamLimits,
  End,
  ExchangeResult,
  FailedReport,
  Health,
  InstanceFilter,
  InstanceStatus,
  JobType,
  JoinGateway,
  LiveJob,
  LiveJobPage,
  Overview,
  ParallelGateway,
  Pause,
  PauseKind,
  PollOptions,
  Priority,
  RetryPolicy,
  Schedule,
  SchedulePage,
  ScheduleRun,
  ScheduleRunPage,
  ServiceTask,
  Session,
  StandaloneStatus,
  Stats,
  Step,
  StepExecution,
  StepStatus,
  StoredDefinition,
  TakenIn,
  Transformation,
  UserTaskStatus,
  UserTaskStep,
  VariableSchema,
  Variables,
  Violation,
  Wait,
  WaitingReason,
  Watermark,
  Weights,
  Woken,
  WorkerList,
} from "./generated/wire.ts"
export { GrpcNotInstalledError } from "./grpc/load-proto.ts"
export type { KafkaOptions } from "./kafka/kafka-connection.ts"
export { KafkaNotInstalledError } from "./kafka/kafka-not-installed.ts"
export { KafkaRunner, type KafkaRunnerOptions } from "./kafka/kafka-runner.ts"
export {
  JobTimeoutError,
  LeaseLostError,
  NonRetryableError,
  RetryLaterError,
  RunnerStoppedError,
} from "./worker/handler-errors.ts"
export type { Handler, HandlerContext, Handlers, JobTypes } from "./worker/handlers.ts"
export { type MetricsHooks, SdkMetrics } from "./worker/metrics.ts"
export { defineHandlers, HandlerRegistry } from "./worker/registry.ts"
export { Runner } from "./worker/runner.ts"
export type { StopResult } from "./worker/runner-base.ts"
export type { AroundJob, HandlerSource, RunnerOptions, WorkerMode } from "./worker/runner-options.ts"
