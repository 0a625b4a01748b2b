// Standalone jobs, dead letters and the queue, as the client gives and takes them: what the wire has, in camelCase.

import type { Camel } from "../calls/snake-case.ts"
import type * as wire from "../generated/wire.ts"
import type { Variables } from "../generated/wire.ts"

/** A job that stands alone, before it is enqueued. */
export interface NewJob<P extends object = Variables> extends Omit<Camel<wire.EnqueueJob>, "payload"> {
  readonly payload: P
}
/** How a job is queued, tried and limited. */
export type EnqueueOptions = Omit<NewJob, "type" | "payload">

/** A job that stands alone, with its status and result. */
export interface StandaloneJob<P extends object = Variables, R extends object = Variables>
  extends Omit<Camel<wire.StandaloneJob>, "payload" | "result"> {
  readonly payload: P
  readonly result: R | null
}

/** How the queue stands. */
export interface QueueMetrics extends Camel<wire.QueueMetrics> {}
/** The weights of the priorities, as they hold now. */
export interface WeightsInForce extends Camel<wire.WeightsInForce> {}
/** The limits at which a queue refuses new jobs, as they hold now. */
export interface WatermarksInForce extends Camel<wire.WatermarksInForce> {}

/** Which dead letters are meant. */
export interface DeadLetterFilter extends Camel<wire.DeadLetterFilter> {}
/** A job or step that was given up. */
export interface DeadLetter extends Camel<wire.DeadLetter> {}
/** A dead letter with its payload and its attempts. */
export interface DeadLetterDetail extends Camel<wire.DeadLetterDetail> {}
/** A page of dead letters. */
export interface DeadLetterPage extends Camel<wire.DeadLetterPage> {}
/** Dead letters of one kind, counted. */
export interface DeadLetterGroup extends Camel<wire.DeadLetterGroup> {}
/** How far a replay or discard of many is. */
export interface DeadLetterBulk extends Camel<wire.DeadLetterBulk> {}
/** What a replayed dead letter became. */
export interface ReplayedDeadLetter extends Camel<wire.ReplayedDeadLetter> {}

/** A schedule to create. */
export interface ScheduleRequest extends Omit<wire.ScheduleRequest, "input"> {
  /** The variables of the instance, or the payload of the job. */
  readonly input?: object
}

/** What to change of a schedule. */
export interface ScheduleChange extends Omit<wire.ScheduleChange, "input"> {
  /** The variables of the instance, or the payload of the job; the whole of it. */
  readonly input?: object
}
