// What a worker may report on a job that it holds, and what it is told.
import type { AttemptDetail, RunStep } from "../../../model/instances/plan.ts"
import type { Parking } from "../../../model/instances/plan-parking.ts"
import type { FailedEnd } from "../../../model/jobs/after-attempt.ts"
import type { Claimant } from "../../../model/jobs/reports.ts"
import type { JsonObject } from "../../../support/json.ts"
import type { Pushback } from "../../flow/slow-down.ts"

export type ReportOutcome = "accepted" | "stale" | "unknown"

interface ReportBase extends Claimant {
  readonly jobId: string
  /** Who reports, for the audit trail. */
  readonly actor: string
}

export interface Completion extends ReportBase {
  readonly verb: "complete"
  readonly variables: JsonObject | undefined
  readonly steps?: readonly RunStep[] | undefined
  readonly detail?: AttemptDetail | undefined
  readonly size?: number
}

export interface Failure extends ReportBase, Omit<FailedEnd, "kind"> {
  readonly verb: "fail"
  readonly wakeOn?: string | undefined
  readonly steps?: readonly RunStep[]
  /** The step of a run that failed. */
  readonly step?: string | undefined
  readonly detail?: AttemptDetail | undefined
  /** What the attempt learned of the system it called. */
  readonly pushback?: Pushback | undefined
}

/** A run of a step list has come to a step that waits. */
export interface Pause extends ReportBase, Parking {
  readonly verb: "park"
}

export type Report = Completion | Failure | Pause
