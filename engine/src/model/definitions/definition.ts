// The shape of a workflow definition, as parsed and stored. Field names are the wire's.
import type { JsonObject, JsonValue } from "../../support/json.ts"

export const STEP_TYPES = [
  "SERVICE_TASK",
  "USER_TASK",
  "DECISION",
  "TRANSFORMATION",
  "WAIT",
  "PARALLEL_GATEWAY",
  "JOIN_GATEWAY",
  "END",
] as const
export type StepType = (typeof STEP_TYPES)[number]

export const PRIORITIES = ["critical", "high", "normal"] as const
export type Priority = (typeof PRIORITIES)[number]

export interface TimerEvent {
  readonly type: "TIMER"
  /** ISO-8601, days to seconds. */
  readonly duration: string
  readonly interrupting: boolean
  readonly targetStepId: string
}

/** Takes the token over when the step fails for good. */
export interface ErrorEvent {
  readonly type: "ERROR"
  readonly interrupting: true
  readonly targetStepId: string
}

export type BoundaryEvent = TimerEvent | ErrorEvent

/** How a failed attempt is tried again. `base` and `cap` are ISO-8601 durations; delay = min(cap, base × factor^(n−1)), then jitter. */
export interface RetryPolicy {
  readonly retries: number
  readonly base?: string
  readonly factor?: number
  readonly cap?: string
  readonly jitter?: "none" | "partial" | "full"
}

/** ISO-8601 durations: one attempt's run, the wait for a worker, the step in total. */
export interface StepTimeouts {
  readonly run?: string
  readonly queue?: string
  readonly total?: string
}

export const VARIABLE_TYPES = ["string", "number", "integer", "boolean"] as const
export type VariableType = (typeof VARIABLE_TYPES)[number]

/** What `title` and `description` say is for forms; only `type` and `required` are checked. */
export interface VariableSchema {
  readonly type?: "object"
  readonly properties?: Readonly<
    Record<string, { readonly type: VariableType; readonly title?: string; readonly description?: string }>
  >
  readonly required?: readonly string[]
}

interface StepCommon {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly boundaryEvents?: readonly BoundaryEvent[]
}

export interface ServiceTask extends StepCommon {
  readonly type: "SERVICE_TASK"
  readonly jobType: string
  readonly retryCount?: number
  readonly retry?: RetryPolicy
  readonly nextStep?: string
  readonly conditionalNextSteps?: Readonly<Record<string, string>>
  readonly delegateClass?: string
  readonly timeout?: StepTimeouts
  readonly onError?: "fail" | "continue"
  readonly priority?: Priority
  readonly downstream?: string
  readonly outputSchema?: VariableSchema
}

export interface UserTask extends StepCommon {
  readonly type: "USER_TASK"
  readonly nextStep?: string
  readonly jobType?: string
  readonly conditionalNextSteps?: Readonly<Record<string, string>>
  readonly assignee?: string
  readonly assigneeGroup?: string
  /** ISO-8601. */
  readonly dueIn?: string
  readonly form?: VariableSchema
  readonly outputSchema?: VariableSchema
  readonly timeout?: Pick<StepTimeouts, "total">
  readonly onError?: "fail" | "continue"
}

export interface Decision extends StepCommon {
  readonly type: "DECISION"
  readonly conditionalNextSteps: Readonly<Record<string, string>>
}

export interface Transformation extends StepCommon {
  readonly type: "TRANSFORMATION"
  readonly transformations: Readonly<Record<string, JsonValue>>
  readonly nextStep: string
}

export interface Wait extends StepCommon {
  readonly type: "WAIT"
  readonly nextStep: string
  /** A signal that comes before the wait is kept for it. */
  readonly keepEarly?: boolean
  /** ISO-8601: the wait completes after this time, if no signal has ended it before. */
  readonly duration?: string
  readonly timeout?: Pick<StepTimeouts, "total">
  readonly onError?: "fail" | "continue"
}

export interface ParallelGateway extends StepCommon {
  readonly type: "PARALLEL_GATEWAY"
  readonly parallelNextSteps: readonly string[]
  readonly joinStep: string
}

export interface JoinGateway extends StepCommon {
  readonly type: "JOIN_GATEWAY"
  readonly nextStep: string
}

export interface End extends StepCommon {
  readonly type: "END"
}

export type Step = ServiceTask | UserTask | Decision | Transformation | Wait | ParallelGateway | JoinGateway | End

export interface Definition {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** The first is the entry. */
  readonly steps: readonly Step[]
  readonly autoStartNextWorkflow?: boolean
  readonly nextWorkflowId?: string
  readonly metadata?: JsonObject
  readonly inputSchema?: VariableSchema
  readonly priority?: Priority
  readonly execution?: "graph" | "steplist"
  readonly recover?: "resume" | "restart"
  /** ISO-8601: the instance fails when it takes longer. */
  readonly deadline?: string
  /** ISO-8601: how long a finished instance is kept at least. */
  readonly retain?: string
  /** What happens to an instance is published as an event, in the transaction in which it happens. */
  readonly events?: boolean
}
