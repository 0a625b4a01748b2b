// What is known of a run when its steps are told: its definition, its record, its attempts, and why it does not move.
import type { CompiledDefinition } from "../../definitions/compile-definition.ts"
import type { StepType } from "../../definitions/definition.ts"
import type { OpenStep } from "../../instances/instance.ts"
import type { AttemptDetail, RunStepDetail, RunStepStatus } from "../../instances/plan.ts"
import type { ClosedStepStatus } from "../../instances/step-machine.ts"
import type { WaitingReason } from "../waiting.ts"
import type { RunStepAttempt } from "./run-step.ts"

export interface RunFacts {
  readonly instanceId: string
  readonly hasEnded: boolean
  /** When the run ended. */
  readonly endedAt?: number | undefined
  /** Undefined where its version cannot be read any more. */
  readonly definition: CompiledDefinition | undefined
  /** In the order of their entry. */
  readonly closed: readonly ClosedExecution[]
  readonly open: readonly OpenStep[]
  /** Oldest first. */
  readonly attempts: readonly AttemptFact[]
  readonly recorded: readonly RecordedFact[]
  readonly reasons: readonly WaitingReason[]
  /** Workers that have a job of it now, by execution. */
  readonly holders: ReadonlyMap<number, string>
  /** Instances by the step that waits for them. */
  readonly children: ReadonlyMap<string, string>
}

/** The facts of a run of a list or a function. Its definition is always known. */
export interface ListFacts extends RunFacts {
  readonly definition: CompiledDefinition
}

export interface ClosedExecution {
  readonly execution: number
  readonly stepId: string
  readonly stepType: StepType
  readonly attempt: number
  readonly status: ClosedStepStatus
  readonly startedAt: number
  readonly endedAt: number
  readonly failureReason: string | null
  readonly output: unknown
  readonly workerId: string | null
  readonly detail: AttemptDetail
}

export interface AttemptFact {
  readonly execution: number
  readonly attempt: number
  readonly outcome: RunStepAttempt["outcome"]
  readonly error: string
  readonly endedAt: number
  readonly workerId: string | null
  /** For a run: the step at which the attempt ended. */
  readonly step: string | null
  readonly detail: AttemptDetail
}

export interface RecordedFact {
  readonly name: string
  readonly status: RunStepStatus
  readonly value: unknown
  readonly error: string | null
  readonly startedAt: number
  readonly endedAt: number
  readonly detail: RunStepDetail
}
