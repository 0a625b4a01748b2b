// A plan: everything one transaction changes about one instance, as plain data. Operations apply it, the store writes it.
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { Priority, StepType } from "../definitions/definition.ts"
import type { DeadReason } from "../jobs/after-attempt.ts"
import type { InstanceState } from "./instance.ts"
import type { InstanceStatus } from "./instance-machine.ts"
import type { ClosedStepStatus } from "./step-machine.ts"

export const AUDIT_KINDS = [
  "DEFINITION_UPLOADED",
  "INSTANCE_STARTED",
  "INSTANCE_COMPLETED",
  "INSTANCE_FAILED",
  "INSTANCE_CANCELLED",
  "JOB_DISPATCHED",
  "JOB_COMPLETED",
  "JOB_FAILED",
  "JOB_RETRIED",
  "JOB_PARKED",
  "LEASE_EXPIRED",
  "TIMER_FIRED",
  "USER_TASK_COMPLETED",
  "WAIT_SIGNALLED",
  "STEP_RETRIED",
  "CHAIN_STARTED",
  "ERROR_CAUGHT",
  "UNDO_STARTED",
] as const
export type AuditKind = (typeof AUDIT_KINDS)[number]

export interface AuditEntry {
  readonly kind: AuditKind
  readonly actor: string
  readonly detail: JsonObject
}

/** The lease under which a step's last report was accepted: kept with its history, so that a repeat can be recognised. */
export interface LeaseRecord {
  readonly epoch: number
  readonly nonce: string | null
  readonly workerId: string | null
  readonly seenVersion: number | null
}

/** The report that ended a step. A completion may fail it too: by its output schema, or by a condition that cannot be judged. */
export interface ReportRecord extends LeaseRecord {
  readonly detail?: AttemptDetail | undefined
  /** Null where the engine ended the last attempt: it ran too long. */
  readonly verb: "complete" | "fail" | null
}

/** What a worker reports about an attempt beside its outcome, for people who look at the run later. */
export interface AttemptDetail {
  /** The step of a run at which it ended. */
  readonly step?: string | undefined
  /** When that step began; where the worker has said nothing, when the job was handed to it. */
  readonly startedAt?: number | undefined
  readonly stack?: string | undefined
  /** The steps that a list has called which records none of them by itself. */
  readonly calls?: readonly TimedCall[] | undefined
}

export interface TimedCall {
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number
}

export interface ClosedStep {
  readonly execution: number
  readonly stepId: string
  readonly stepType: StepType
  readonly attempt: number
  readonly status: ClosedStepStatus
  readonly startedAt: number
  readonly failureReason?: string
  readonly delta?: JsonObject
  readonly report?: ReportRecord
  /** Audit sequence number of the instance when it closed: deltas fold in this order. */
  readonly seq: number
}

export interface NewJob {
  readonly execution: number
  readonly stepId: string
  readonly jobType: string
  readonly priority: Priority
  readonly downstream: string
  readonly retries: number
  readonly runMs: number | null
  /** The execution whose idempotency key it has, where that is not its own. */
  readonly effect?: number
}

/** A job that goes back to the queue; `delayMs` > 0 holds it until then, null for as long as its signal does not come. */
export interface RequeuedJob {
  readonly execution: number
  readonly delayMs: number | null
  /** Signals any of which makes it ready, if none is there already. */
  readonly waitsFor?: readonly string[]
  /** Why it has to wait. */
  readonly reason?: string
  readonly retriesLeft: number
  readonly lostLeases: number
  /** A reported attempt has used its token up; a lost one leaves it good until the next claim. */
  readonly keepsToken: boolean
}

/** An attempt whose lease was lost was later reported as failed: one retry less, and nothing else about the job changes. */
export interface SpentRetry {
  readonly execution: number
  readonly retriesLeft: number
}

export interface EndedAttempt {
  readonly execution: number
  readonly outcome: "failed" | "timed-out" | "lost" | "parked"
  readonly error: string
  readonly lease: LeaseRecord
  /** The step of a run at which it ended. */
  readonly step?: string | undefined
  readonly detail?: AttemptDetail | undefined
}

/** The job that failed the instance: it goes to the dead letters. */
export interface DeadJob {
  readonly execution: number
  readonly reason: DeadReason
  readonly error: string
  /** Retries that were spent on it. */
  readonly retryCount: number
}

export interface NewUserTask {
  readonly execution: number
  readonly stepId: string
  readonly name: string
  readonly assignee?: string
  readonly assigneeGroup?: string
  readonly dueInMs?: number
}

export interface ClosedUserTask {
  readonly execution: number
  readonly status: "COMPLETED" | "CANCELLED"
  readonly completedBy?: string
}

export type RunStepStatus = "WAITING" | "COMPLETED" | "FAILED"

/** A step that a run has behind it, or waits at. */
export interface RunStep {
  readonly name: string
  readonly status: RunStepStatus
  readonly value?: JsonValue | undefined
  readonly error?: string | undefined
  /** The version of the list that the worker ran. */
  readonly listVersion: number
  /** The worker that did it can undo it. */
  readonly undo?: boolean | undefined
  readonly startedAt: number
  readonly detail?: RunStepDetail | undefined
}

/** What is known of a recorded call beside its value. */
export interface RunStepDetail {
  /** What the step waits for, if it is a wait. */
  readonly kind?: RunWaitKind | undefined
  /** The names of the branches of `run.all` that it was called in, the outermost first. */
  readonly branch?: readonly string[] | undefined
  /** The workflow of the run that it has started, and waits for. */
  readonly child?: string | undefined
  /** The stack of the error. */
  readonly stack?: string | undefined
}

export type RunWaitKind = "sleep" | "signal" | "user-task" | "child"

export interface NewSignal {
  readonly name: string
  readonly payload: JsonValue
}

export interface NewTimer {
  readonly execution: number
  readonly timer: string
  readonly dueInMs: number
}

export type FiredTimer = Omit<NewTimer, "dueInMs">

export interface Finish {
  readonly status: Extract<InstanceStatus, "COMPLETED" | "FAILED" | "CANCELLED">
  readonly reason?: string
}

/** Told to the run that waits for this one. */
export interface Ending {
  readonly instanceId: string
  readonly step: string
  readonly payload: JsonObject
}

export interface NextWorkflow {
  readonly definitionId: string
  readonly variables: JsonObject
}

export interface Plan {
  readonly status: InstanceStatus
  readonly state: InstanceState
  /** Keys to merge into the variables, shallowly. */
  readonly delta: JsonObject | undefined
  readonly version: number
  readonly finish: Finish | undefined
  readonly closedSteps: readonly ClosedStep[]
  readonly newJobs: readonly NewJob[]
  readonly requeuedJobs: readonly RequeuedJob[]
  readonly spentRetries: readonly SpentRetry[]
  readonly endedAttempts: readonly EndedAttempt[]
  /** Executions whose job ends. */
  readonly endedJobs: readonly number[]
  readonly deadJob: DeadJob | undefined
  readonly newUserTasks: readonly NewUserTask[]
  readonly closedUserTasks: readonly ClosedUserTask[]
  readonly newTimers: readonly NewTimer[]
  readonly firedTimers: readonly FiredTimer[]
  /** Executions all of whose timers end. */
  readonly endedTimers: readonly number[]
  readonly runSteps: readonly RunStep[]
  readonly newSignals: readonly NewSignal[]
  /** What may wake the instance early, when a worker has said so. */
  readonly linkingId: string | undefined
  readonly audit: readonly AuditEntry[]
  readonly next: NextWorkflow | undefined
  readonly ending: Ending | undefined
}

/** What a plan may bring besides the audit, the state and new jobs. */
const EFFECTS = Object.keys({
  delta: true,
  finish: true,
  closedSteps: true,
  requeuedJobs: true,
  spentRetries: true,
  endedAttempts: true,
  endedJobs: true,
  deadJob: true,
  newUserTasks: true,
  closedUserTasks: true,
  newTimers: true,
  firedTimers: true,
  endedTimers: true,
  runSteps: true,
  newSignals: true,
  linkingId: true,
  next: true,
  ending: true,
} satisfies Record<Exclude<keyof Plan, "status" | "state" | "version" | "audit" | "newJobs">, true>) as (keyof Plan)[]

/** True when the plan makes jobs and has no other effect. */
export const onlyMakesJobs = (plan: Plan): boolean => EFFECTS.every((name) => isNothing(plan[name]))

const isNothing = (effect: unknown): boolean => effect === undefined || (Array.isArray(effect) && effect.length === 0)
