// How one attempt at a run ended, for the engine to write down.

import type { AttemptDetail, RunStep } from "../../model/instances/plan.ts"
import type { Parking } from "../../model/instances/plan-parking.ts"
import type { OwnRetries } from "../../model/jobs/after-attempt.ts"
import type { JsonObject } from "../../support/json.ts"
import type { Pushback } from "./pushback.ts"

export interface Completed {
  readonly verb: "complete"
  readonly variables: JsonObject | undefined
  /** Steps that are recorded with the end: best-effort ones that failed. */
  readonly steps?: readonly RunStep[]
  readonly detail?: AttemptDetail
}

export interface Failed {
  readonly verb: "fail"
  readonly retryable: boolean
  readonly message: string
  readonly retryAfterMs: number | undefined
  /** Milliseconds, by how many retries there were before: only the engine knows that for sure. */
  readonly backoff?: (retriesBefore: number) => number
  readonly isUnlimited?: boolean
  /** The retries of the step that failed, where they are its own. */
  readonly own?: OwnRetries | undefined
  /** The step that failed; undefined where it was none. */
  readonly step?: string | undefined
  readonly detail?: AttemptDetail
  readonly wakeOn?: string | undefined
  /** The system that was called could take no more. */
  readonly pushback?: Pushback
  /** Steps that are on record, and are to be done again. */
  readonly steps?: readonly RunStep[]
}

export interface Parked extends Parking {
  readonly verb: "park"
}

export type Outcome = Completed | Failed | Parked
