// The public face of @millrace/sdk: everything a worker or a client imports.

export { EngineClient, type EngineClientOptions, type IntakeOptions } from "./client/engine-client.ts"
export type * from "./client/instance-types.ts"
export type * from "./client/job-types.ts"
export type * from "./client/queue-types.ts"
export { type SubmitOptions, type Submitted, submit } from "./client/submit.ts"
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
export { backoffMs } from "./http/backoff.ts"
export type { CallOptions, TraceContext } from "./http/caller.ts"
export { type ErrorCode, MillraceError, TransportError, type TransportFailure } from "./http/errors.ts"
export type { AskedArguments, ChangeOptions } from "./http/operation-caller.ts"
export type { Answer, Asked, OperationId } from "./http/operations.ts"
export { InvalidIdError } from "./http/paths.ts"
export {
  JobTimeoutError,
  LeaseLostError,
  NonRetryableError,
  RetryLaterError,
  RunnerStoppedError,
} from "./worker/handler-errors.ts"
export type { Handler, HandlerContext, Handlers, JobTypes } from "./worker/handlers.ts"
export type { Logger } from "./worker/logger.ts"
export { type MetricsHooks, SdkMetrics } from "./worker/metrics.ts"
export { defineHandlers, HandlerRegistry } from "./worker/registry.ts"
export { Runner, type StopResult } from "./worker/runner.ts"
export type { AroundJob, HandlerSource, RunnerOptions, WorkerMode } from "./worker/runner-options.ts"
