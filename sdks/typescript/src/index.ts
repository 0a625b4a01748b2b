// The public face of @millrace/sdk: everything a worker or a client imports.
export { backoffMs } from "./backoff.ts"
export type { CallOptions, TraceContext } from "./caller.ts"
export { EngineClient, type EngineClientOptions, type IntakeOptions } from "./engine-client.ts"
export { type ErrorCode, MillraceError, TransportError, type TransportFailure } from "./errors.ts"
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
export {
  JobTimeoutError,
  LeaseLostError,
  NonRetryableError,
  RetryLaterError,
  RunnerStoppedError,
} from "./handler-errors.ts"
export { defineHandlers, type Handler, type HandlerContext, type Handlers, type JobTypes } from "./handlers.ts"
export type * from "./instance-types.ts"
export type * from "./job-types.ts"
export type { Logger } from "./logger.ts"
export { type MetricsHooks, SdkMetrics } from "./metrics.ts"
export type { AskedArguments, ChangeOptions } from "./operation-caller.ts"
export type { Answer, Asked, OperationId } from "./operations.ts"
export { InvalidIdError } from "./paths.ts"
export type * from "./queue-types.ts"
export { HandlerRegistry } from "./registry.ts"
export { Runner, type StopResult } from "./runner.ts"
export type { AroundJob, HandlerSource, RunnerOptions } from "./runner-options.ts"
export { type SubmitOptions, type Submitted, submit } from "./submit.ts"
