// The library's front door.

export { type Downstream, downstream } from "./library/authoring/downstream.ts"
// The types of elements have names here because a workflow that is exported has them in its declaration.
export {
  bestEffort,
  type SignalElement,
  type SleepElement,
  type StepElement,
  sleep,
  step,
  type TaskElement,
  userTask,
  waitForSignal,
} from "./library/authoring/elements.ts"
export type { EnqueueOptions } from "./library/authoring/enqueue-options.ts"
export type { Handler } from "./library/authoring/handler.ts"
export { type JobCall, type JobElement, job } from "./library/authoring/job.ts"
export { NonRetryableError } from "./library/authoring/retries/error-kind.ts"
export type { RetryOption } from "./library/authoring/retries/retry-rule.ts"
export { RetryableError } from "./library/authoring/retryable-error.ts"
export type { Empty, Step, StepLog, StepTx, TxStep } from "./library/authoring/step-types.ts"
export { type Workflow, workflow } from "./library/authoring/workflow.ts"
export type { Run } from "./library/authoring/workflow-types.ts"
export type { DeadLetterFilter, DeadLetters } from "./library/handles/dead-letters.ts"
export type { EnqueuedJob, JobHandle } from "./library/handles/job-handle.ts"
export type { JobRecord } from "./library/handles/job-record.ts"
export type { JobFilter, Jobs } from "./library/handles/jobs.ts"
export type { Page, PageOptions } from "./library/handles/page.ts"
export { JobFailedError, RunFailedError } from "./library/handles/run-failed-error.ts"
export type { RunHandle, RunRecord } from "./library/handles/run-handle.ts"
export type { FailureFilter, RunFilter, RunOf, Runs } from "./library/handles/runs.ts"
export type { BatchOptions, ConsumeOptions } from "./library/running/consume/consume-options.ts"
export type {
  BatchConsumption,
  BatchHandler,
  ConsumeHandler,
  Consumption,
} from "./library/running/consume/consumption.ts"
export type { PublishOptions, Subscription, SubscriptionOptions } from "./library/running/events.ts"
export type { EventHandler, MillEvent } from "./library/running/handler-sink.ts"
export type { Mill } from "./library/running/mill.ts"
export type { Job } from "./library/running/running-job.ts"
export type { ScheduleOptions, Schedules } from "./library/running/schedules.ts"
export type { Drained } from "./library/running/worker.ts"
export { type MillraceOptions, millrace } from "./millrace.ts"
export type { CallersTx } from "./operations/kernel/callers.ts"
export { EngineError } from "./support/errors.ts"
export type { JsonObject, JsonValue } from "./support/json.ts"
