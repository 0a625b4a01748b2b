// The shape of a workflow definition on the wire (`contracts/openapi.yaml`).
import type { Variables } from "./wire-types.ts"

export type Priority = "critical" | "high" | "normal"

export interface BoundaryEvent {
  readonly type: "TIMER"
  /** ISO-8601, such as `PT30S`. */
  readonly duration: string
  readonly interrupting?: boolean
  readonly targetStepId: string
}

export interface RetryPolicy {
  readonly retries: number
  readonly base?: string
  readonly factor?: number
  readonly cap?: string
  readonly jitter?: "none" | "partial" | "full"
}

interface VariableProperty {
  readonly type: "string" | "number" | "integer" | "boolean"
  readonly title?: string
  readonly description?: string
}

/** `title` and `description` are for forms; `type` and `required` are checked. */
export interface VariableSchema {
  readonly type?: "object"
  readonly properties?: Readonly<Record<string, VariableProperty>>
  readonly required?: readonly string[]
}

interface StepBase<T extends string> {
  readonly id: string
  readonly name: string
  readonly type: T
  readonly description?: string
}

interface Waits {
  readonly boundaryEvents?: readonly BoundaryEvent[]
  readonly onError?: "fail" | "continue"
}

/** Boolean expression → step id; the first that is true wins. */
type ConditionalNextSteps = Readonly<Record<string, string>>

export interface ServiceTask extends StepBase<"SERVICE_TASK">, Waits {
  readonly jobType: string
  readonly retryCount?: number
  readonly retry?: RetryPolicy
  readonly nextStep?: string
  readonly conditionalNextSteps?: ConditionalNextSteps
  readonly delegateClass?: string
  readonly timeout?: { readonly run?: string; readonly queue?: string; readonly total?: string }
  readonly priority?: Priority
  readonly downstream?: string
  readonly outputSchema?: VariableSchema
}

export interface UserTaskStep extends StepBase<"USER_TASK">, Waits {
  readonly jobType?: string
  readonly nextStep?: string
  readonly conditionalNextSteps?: ConditionalNextSteps
  readonly assignee?: string
  readonly assigneeGroup?: string
  readonly dueIn?: string
  readonly form?: VariableSchema
  readonly outputSchema?: VariableSchema
  readonly timeout?: { readonly total?: string }
}

export interface Decision extends StepBase<"DECISION"> {
  readonly conditionalNextSteps: ConditionalNextSteps
}

export interface Transformation extends StepBase<"TRANSFORMATION"> {
  readonly transformations: Variables
  readonly nextStep: string
}

export interface Wait extends StepBase<"WAIT">, Waits {
  readonly nextStep: string
  readonly timeout?: { readonly total?: string }
}

export interface ParallelGateway extends StepBase<"PARALLEL_GATEWAY"> {
  readonly parallelNextSteps: readonly string[]
  readonly joinStep: string
}

export interface JoinGateway extends StepBase<"JOIN_GATEWAY"> {
  readonly nextStep: string
}

export type End = StepBase<"END">

export type Step = ServiceTask | UserTaskStep | Decision | Transformation | Wait | ParallelGateway | JoinGateway | End

export interface Definition {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** The first is the entry. */
  readonly steps: readonly Step[]
  readonly autoStartNextWorkflow?: boolean
  readonly nextWorkflowId?: string
  readonly metadata?: Variables
  readonly inputSchema?: VariableSchema
  readonly priority?: Priority
  readonly execution?: "graph" | "steplist"
  readonly recover?: "resume" | "restart"
  readonly deadline?: string
  readonly retain?: string
}

export interface StoredDefinition extends Definition {
  readonly version: number
  readonly uploadedAt: string
}
