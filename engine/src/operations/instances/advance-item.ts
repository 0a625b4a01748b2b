// One event for one instance, and what is known of the instance when it is decided.
import type { Draft } from "../../model/instances/draft.ts"
import type { LostLeaseRow } from "../../store/instances/history.ts"
import type { LockedJobRow } from "../../store/jobs/jobs.ts"
import type { ProveTerm } from "../kernel/loops.ts"

/** One event for one instance. `decide` runs under the instance's lock: it plans, or throws a refusal before it touches the draft. */
export interface AdvanceItem<T> {
  readonly instanceId: string
  /** The step execution whose job, if it has one, the event is about. */
  readonly execution?: number
  /** The worker of a report without a token. The report may concern an earlier lease that this worker has lost. */
  readonly formerly?: string
  /** The timer of that execution that is due. */
  readonly timer?: string
  readonly decide: (draft: Draft, facts: Facts) => T
  /** Roughly, in bytes: what the event brings along. */
  readonly size?: number
  /** The proof that a leader still leads, where the event is a leader's. */
  readonly proveTerm?: ProveTerm
}

/** What was read under the instance's lock. */
export interface Facts {
  readonly job: LockedJobRow | undefined
  /** A delivery that the worker of the report has lost, and never reported on. */
  readonly lost?: LostLeaseRow | undefined
  /** Whether the timer is still there and due by the database's clock. */
  readonly timerIsDue: boolean
}

/** The instance is not among the unfinished ones: finished, or unknown. */
export const NOT_LIVE = Symbol("not live")
export type NotLive = typeof NOT_LIVE
