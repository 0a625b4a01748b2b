// A standalone job on its way in: what was asked for, the row that it becomes, and what its caller is told.
import type { Priority } from "../../../model/definitions/definition.ts"
import type { Door } from "../../../model/flow/doors.ts"
import type { RetryChoice } from "../../../model/jobs/standalone-job.ts"
import type { NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import type { RequestKey } from "../../../store/kernel/request-keys.ts"
import { EngineError } from "../../../support/errors.ts"
import type { JsonObject } from "../../../support/json.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { seriesOf } from "../../observability/counter-series.ts"
import type { JobView } from "../job-view.ts"

export interface UniqueChoice {
  readonly key: string
  readonly forMs: number
  /** A second job in the window is refused, or its payload replaces that of the first, which waits for the window to pass. */
  readonly mode: "refuse" | "debounce"
}

/** What may be said of one job and of all of its type. */
export interface SaidOfJob {
  readonly priority?: Priority | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  readonly retry?: RetryChoice | undefined
  readonly downstream?: string | undefined
}

export interface EnqueueRequest extends SaidOfJob {
  readonly jobType: string
  /** The payload, or its JSON text, which is stored as it is and must have been judged. */
  readonly payload: JsonObject | string
  /** One job per type and key, for as long as the job's record is kept. */
  readonly key?: string | undefined
  /** What the caller said of this job, without the defaults of its type: only that tells a repeat of its key from another job. */
  readonly said?: SaidOfJob | undefined
  readonly delayMs?: number | undefined
  readonly fairKey?: string | undefined
  readonly limit?: { readonly key: string; readonly max: number } | undefined
  readonly unique?: UniqueChoice | undefined
  readonly replayOf?: string | undefined
  /** The idempotency key of the job whose work it goes on with. */
  readonly effectKey?: string | undefined
  /** The payload was accepted elsewhere before: its size is not judged again. */
  readonly isAccepted?: boolean | undefined
  readonly whenFull: "refuse" | "absorb"
  /** By which it comes in; absent where the engine asks itself. */
  readonly door?: Door | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
  /** Roughly, in bytes. */
  readonly size?: number
  /** Where it is asked for: carried to the worker. */
  readonly trace?: string | undefined
}

/** A key of any kind: the job's own, the request's, or a window's. Another job or request may have it, also one under way. */
export const hasKey = ({ key, requestKey, unique }: EnqueueRequest): boolean =>
  key !== undefined || requestKey !== undefined || unique !== undefined

/** It takes more than the statement that travels with the commit, and may wait for a transaction that has its key or its limit. */
export const hasKeyOrLimit = (request: EnqueueRequest): boolean => hasKey(request) || request.limit !== undefined

export interface PreparedJob {
  readonly request: EnqueueRequest
  readonly row: NewStandaloneJob
}

export interface Enqueued {
  readonly job: JobView
  /** There was one with this key already, which is given as it is; or such a request, and it is given as it was then. */
  readonly isRepeat: boolean
}

/** The job as it is when it has just come in. */
export const accepted = ({ row }: PreparedJob): Enqueued => ({
  isRepeat: false,
  job: {
    id: row.id,
    type: row.jobType,
    status: "PENDING",
    priority: row.priority,
    payload: row.payload,
    result: null,
    retryCount: 0,
    error: null,
    createdAt: row.createdAt,
    updatedAt: row.createdAt,
    visibleAt: row.delayMs > 0 ? row.createdAt + row.delayMs : undefined,
    replayOf: row.replayOf ?? undefined,
  },
})

/** The refusal of a job for which there is no room. */
export function refuseFull(kernel: Kernel, priority: Priority, door: Door | undefined): EngineError {
  kernel.metrics.backpressureRejections.inc()
  seriesOf(kernel).flow.refuse(door)
  const retryAfterSeconds = kernel.settings.backpressureRetryAfterSeconds
  return new EngineError(
    "backpressure",
    `there is no room for jobs of priority ${priority}: nothing was stored, try again later`,
    {
      retryAfterSeconds,
    },
  )
}
