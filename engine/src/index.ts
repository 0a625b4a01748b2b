// The library's front door.

export { type Downstream, downstream } from "./library/downstream.ts"
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
} from "./library/elements.ts"
export type { EnqueueOptions } from "./library/enqueue-options.ts"
export type { Handler } from "./library/handler.ts"
export { NonRetryableError } from "./library/handler-failure.ts"
export { type JobCall, type JobElement, job } from "./library/job.ts"
export type { Mill } from "./library/mill.ts"
export { RetryableError } from "./library/retryable-error.ts"
export type { Run } from "./library/run.ts"
export type { Job } from "./library/running-job.ts"
export type { ScheduleOptions, Schedules } from "./library/schedules.ts"
export type { Empty, Step, StepLog, StepTx, TxStep } from "./library/step-types.ts"
export { type Workflow, workflow } from "./library/workflow.ts"
export { type MillraceOptions, millrace } from "./millrace.ts"
export { type OpenEngine, type OpenEngineOptions, openEngine } from "./open-engine.ts"
export type { CallersTx } from "./operations/callers.ts"
export { EngineError } from "./support/errors.ts"
export type { JsonObject, JsonValue } from "./support/json.ts"
