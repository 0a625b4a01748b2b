// What travels to and from the engine about definitions, instances, intake and user tasks (`contracts/openapi.yaml`).
import type { Priority, VariableSchema } from "./definition-types.ts"

/** A JSON object; what it holds is between the definition and its handlers. */
export type Variables = { readonly [name: string]: unknown }

export type InstanceStatus = "ACTIVE" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED"
export type StepStatus = "RUNNING" | "COMPLETED" | "FAILED" | "SKIPPED"
export type UserTaskStatus = "OPEN" | "COMPLETED" | "CANCELLED"

export interface DefinitionSummary {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: string
}

export interface DefinitionPage {
  readonly items: readonly DefinitionSummary[]
  readonly page: number
  readonly pageSize: number
  readonly total: number
}

export interface StartInstance<V extends object = Variables> {
  readonly definitionId: string
  /** Latest when absent. */
  readonly definitionVersion?: number
  readonly variables?: V
  readonly businessKey?: string
  readonly priority?: Priority
  readonly linkingId?: string
}

export interface Instance<V extends object = Variables> {
  readonly id: string
  readonly definitionId: string
  readonly definitionVersion: number
  readonly status: InstanceStatus
  readonly currentStepIds: readonly string[]
  readonly variables: V
  readonly startedAt: string
  readonly completedAt?: string
  readonly failureReason?: string
  readonly businessKey?: string
}

export interface InstanceFilter {
  readonly definitionId?: string
  readonly version?: number
  readonly status?: InstanceStatus
  readonly businessKey?: string
  readonly startedAfter?: string
  readonly startedBefore?: string
  /** Fingerprint of the error. */
  readonly failure?: string
}

export interface InstancePage<V extends object = Variables> {
  readonly items: readonly Instance<V>[]
  readonly total: number
  readonly totalIsExact: boolean
  readonly nextCursor?: string
}

/** The answer to a submission, the first and every repeat. */
export interface TakenIn {
  readonly idempotencyKey: string
}

export interface Woken {
  readonly woken: number
}

export interface StepExecution {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly stepType: string
  readonly attemptNumber: number
  readonly status: StepStatus
  readonly startedAt: string
  readonly endedAt?: string
  readonly failureReason?: string
}

export interface AuditEntry {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly kind: string
  readonly detail: Variables
}

export interface WaitingReason {
  readonly kind:
    | "user-task"
    | "signal"
    | "timer"
    | "job-queued"
    | "job-leased"
    | "retry"
    | "paused"
    | "pace"
    | "limit"
    | "backlog"
    | (string & {})
  readonly stepId?: string
  readonly since: string
  readonly detail: Variables
}

export interface UserTask<V extends object = Variables> {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly definitionId: string
  readonly name: string
  readonly status: UserTaskStatus
  readonly assignee?: string
  readonly assigneeGroup?: string
  readonly dueAt?: string
  readonly form?: VariableSchema
  readonly variables: V
  readonly createdAt: string
  readonly completedAt?: string
  readonly completedBy?: string
}

export interface UserTaskFilter {
  readonly status?: UserTaskStatus
  readonly assignee?: string
  readonly group?: string
}

export interface UserTaskPage<V extends object = Variables> {
  readonly items: readonly UserTask<V>[]
  readonly nextCursor?: string
}

export interface BulkRequest {
  readonly action: "cancel" | "retry"
  readonly filter: InstanceFilter
  readonly dryRun?: boolean
}

export interface Bulk {
  readonly id: string
  readonly matched: number
  readonly done: number
  readonly failed: number
}
