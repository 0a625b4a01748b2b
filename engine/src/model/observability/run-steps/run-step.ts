// A step of a run as every door shows it, whether the run is a list, a function or a graph.
import type { StepType } from "../../definitions/definition.ts"
import type { RunWaitKind } from "../../instances/plan.ts"
import type { WaitingKind } from "../waiting.ts"

export type RunStepState = "PENDING" | "RUNNING" | "WAITING" | "COMPLETED" | "FAILED" | "SKIPPED"

/** Times are RFC 3339, as on the wire. */
export interface RunStepView {
  readonly id: string
  readonly stepId: string
  readonly stepType: StepType
  /** Counts the entries into a step of a graph. */
  readonly attemptNumber: number
  readonly status: RunStepState
  /** Absent where the step was not reached, and where its worker does not record when it began. */
  readonly startedAt?: string
  readonly endedAt?: string
  readonly failureReason?: string
  readonly stack?: string
  /** The step has failed, and the run went on in spite of it. */
  readonly isTolerated?: true
  readonly output?: unknown
  readonly workerId?: string
  /** What it waits for, or has waited for. */
  readonly wait?: RunStepWait
  /** The branches of a function that it belongs to, the outermost first. */
  readonly branch?: readonly string[]
  /** The run that it has started. */
  readonly childId?: string
  /** Attempts that ended before, without ending the step. */
  readonly attempts?: readonly RunStepAttempt[]
}

export interface RunStepWait {
  readonly kind: RunWaitKind | WaitingKind
  /** Present only while the step waits. */
  readonly message?: string
  readonly dueAt?: string
}

export interface RunStepAttempt {
  /** The attempt number that the worker was given. */
  readonly attempt: number
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly error: string
  readonly stack?: string
  readonly startedAt?: string
  readonly endedAt: string
  readonly workerId?: string
}
