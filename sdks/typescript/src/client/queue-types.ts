// Standalone jobs, dead letters and the queue, as the client gives and takes them: what the wire has, in camelCase.

import type { Camel } from "../calls/snake-case.ts"
import type * as wire from "../generated/wire.ts"
import type { Variables } from "../generated/wire.ts"

export interface NewJob<P extends object = Variables> extends Omit<Camel<wire.EnqueueJob>, "payload"> {
  readonly payload: P
}
export type EnqueueOptions = Omit<NewJob, "type" | "payload">

export interface StandaloneJob<P extends object = Variables, R extends object = Variables>
  extends Omit<Camel<wire.StandaloneJob>, "payload" | "result"> {
  readonly payload: P
  readonly result: R | null
}

export interface QueueMetrics extends Camel<wire.QueueMetrics> {}
export interface WeightsInForce extends Camel<wire.WeightsInForce> {}
export interface WatermarksInForce extends Camel<wire.WatermarksInForce> {}

export interface DeadLetterFilter extends Camel<wire.DeadLetterFilter> {}
export interface DeadLetter extends Camel<wire.DeadLetter> {}
export interface DeadLetterDetail extends Camel<wire.DeadLetterDetail> {}
export interface DeadLetterPage extends Camel<wire.DeadLetterPage> {}
export interface DeadLetterGroup extends Camel<wire.DeadLetterGroup> {}
export interface DeadLetterBulk extends Camel<wire.DeadLetterBulk> {}
export interface ReplayedDeadLetter extends Camel<wire.ReplayedDeadLetter> {}

export interface ScheduleRequest extends Omit<wire.ScheduleRequest, "input"> {
  /** The variables of the instance, or the payload of the job. */
  readonly input?: object
}

export interface ScheduleChange extends Omit<wire.ScheduleChange, "input"> {
  /** The variables of the instance, or the payload of the job; the whole of it. */
  readonly input?: object
}
