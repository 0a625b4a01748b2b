// Why one job is not moving: it is with a worker, waits for a time or a word, is held back by an operator or a limit, or
// stands in a queue.

import { isoTime } from "../../support/iso-time.ts"
import type { Priority } from "../definitions/definition.ts"
import { topicOf } from "../jobs/dispatch-topic.ts"
import type { LiveJobStatus } from "../jobs/job-machine.ts"
import type { Waiting, WaitingOf } from "./waiting.ts"
import { type RunWait, whyRunWaits } from "./why-run-waits.ts"

export interface JobFacts {
  /** Undefined: it stands alone. */
  readonly stepId: string | undefined
  readonly jobType: string
  /** The workflow, if the job belongs to a run of a list or a function. */
  readonly workflow?: string | undefined
  readonly status: LiveJobStatus
  readonly createdAt: number
  /** How often it was taken. */
  readonly epoch: number
  readonly workerId: string | null
  readonly leaseUntil: number | null
  /** Its way through Kafka, where it goes that way. */
  readonly dispatch?: DispatchFacts | undefined
  /** Until when it is held; null where time alone does not let it go. */
  readonly visibleAt: number | null
  readonly heldReason: string | null
  /** How its last attempt ended; undefined before the first, and where that is not known any more. */
  readonly lastEnd: { readonly outcome: string; readonly error: string; readonly endedAt: number } | undefined
  readonly retriesLeft: number
  /** Undefined: without end. */
  readonly retries: number | undefined
  /** Signals that a run waits for, and what it had come to when it was parked. */
  readonly waitsFor: readonly string[]
  readonly waits: readonly RunWait[]
  readonly limit:
    | { readonly key: string; readonly max: number; readonly underWay: number; readonly running: number }
    | undefined
  /** Before it in its queue, or before it at its limit, of its priority. */
  readonly ahead: number
  readonly queue: QueueFacts
  readonly pause: PauseFacts | undefined
  /** Undefined where it has no downstream, or one without a pace. */
  readonly pace: Omit<WaitingOf<"pace">["detail"], "expectedAt"> | undefined
}

export interface DispatchFacts {
  /** The consumers have not passed the message, or there is none yet. */
  readonly isWaiting: boolean
  readonly partition: number | null
  readonly offset: number | null
  readonly publishedAt: number | null
}

export interface QueueFacts {
  readonly priority: Priority
  readonly share: number
  readonly fairKey: string | null
  readonly polledAt: number | null
}

export interface PauseFacts {
  readonly kind: WaitingOf<"paused">["detail"]["paused"]
  readonly name: string
  readonly reason: string | null
  readonly by: string
  readonly at: number
}

export function whyJobWaits(job: JobFacts, nowMs: number): readonly Waiting[] {
  if (job.status === "leased") return [job.dispatch ? isInKafka(job, job.dispatch) : isWithWorker(job)]
  const paused = job.pause ? [isPaused(job, job.pause)] : []
  if (job.status === "held") return [...waitsOutsideQueue(job), ...paused]
  if (job.pause) return paused
  return [job.pace ? waitsForPace(job, job.pace, nowMs) : waitsInQueue(job)]
}

const placeOf = ({ stepId, createdAt }: JobFacts, since = createdAt) => ({
  ...(stepId === undefined ? {} : { stepId }),
  since: isoTime(since),
})

function isWithWorker(job: JobFacts): Waiting {
  const { jobType, epoch: attempt, workerId, leaseUntil } = job
  const lease = { workerId: workerId ?? "", leasedUntil: isoTime(leaseUntil ?? 0) }
  return { kind: "job-leased", ...placeOf(job), detail: { jobType, attempt, ...lease } }
}

function isInKafka(job: JobFacts, { isWaiting, partition, offset, publishedAt }: DispatchFacts): Waiting {
  const { jobType, epoch: attempt, leaseUntil } = job
  const message = { jobType, attempt, topic: topicOf(jobType) }
  if (!isWaiting)
    return { kind: "job-dispatched", ...placeOf(job), detail: { ...message, leasedUntil: isoTime(leaseUntil ?? 0) } }
  if (partition === null || offset === null || publishedAt === null)
    return { kind: "job-dispatched", ...placeOf(job), detail: message }
  const place = { partition, offset, publishedAt: isoTime(publishedAt) }
  return { kind: "job-dispatched", ...placeOf(job, publishedAt), detail: { ...message, ...place } }
}

function isPaused(job: JobFacts, { kind: paused, name, reason, by: pausedBy, at }: PauseFacts): Waiting {
  const why = reason === null ? {} : { reason }
  const place = placeOf(job, Math.max(at, job.createdAt))
  return { kind: "paused", ...place, detail: { paused, name, pausedBy, pausedAt: isoTime(at), ...why } }
}

function waitsInQueue(job: JobFacts): Waiting {
  const { jobType, workflow, queue, ahead } = job
  const { priority, share, fairKey } = queue
  const fair = fairKey === null ? {} : { fairKey }
  const run = workflow === undefined ? {} : { workflow }
  const detail = { jobType, ...run, priority, share, position: ahead + 1, ...fair, ...polledOf(job) }
  return { kind: "job-queued", ...placeOf(job), detail }
}

function waitsForPace(job: JobFacts, pace: NonNullable<JobFacts["pace"]>, nowMs: number): Waiting {
  const { perSecond, closedUntil, position } = pace
  if (perSecond === undefined || perSecond === 0) return { kind: "pace", ...placeOf(job), detail: pace }
  // At its pace, from the moment that it takes anything.
  const fromMs = closedUntil === undefined ? nowMs : Math.max(nowMs, Date.parse(closedUntil))
  const expectedAt = isoTime(Math.round(fromMs + (position / perSecond) * 1_000))
  return { kind: "pace", ...placeOf(job), detail: { ...pace, expectedAt } }
}

function waitsOutsideQueue(job: JobFacts): readonly Waiting[] {
  const { limit, visibleAt, waitsFor } = job
  if (limit && visibleAt === null && waitsFor.length === 0) return [waitsForLimit(job, limit)]
  if (job.epoch === 0) return [isScheduled(job)]
  return hasFailed(job) ? [isRetried(job)] : isParked(job)
}

function waitsForLimit(
  job: JobFacts,
  { key: limitKey, max, underWay, running }: NonNullable<JobFacts["limit"]>,
): Waiting {
  const { jobType, queue, ahead } = job
  const places = { limitKey, max, underWay, running }
  const detail = { jobType, ...places, priority: queue.priority, position: ahead + 1, ...polledOf(job) }
  return { kind: "limit", ...placeOf(job), detail }
}

/** A job that has had an attempt was asked for, whether that was noted or not: its worker may have died within a second. */
function polledOf({ queue: { polledAt }, epoch, lastEnd, createdAt }: JobFacts) {
  const attemptedAt = epoch === 0 ? null : (lastEnd?.endedAt ?? createdAt)
  const askedAt = polledAt ?? attemptedAt
  return askedAt === null ? {} : { lastPolledAt: isoTime(askedAt) }
}

const dueAtOf = ({ visibleAt, createdAt }: JobFacts): string => isoTime(visibleAt ?? createdAt)

const isScheduled = (job: JobFacts): Waiting => ({
  kind: "scheduled",
  ...placeOf(job),
  detail: { jobType: job.jobType, dueAt: dueAtOf(job) },
})

/** A run that parks itself gives a reason only where it has come to no wait; a failure always has one. */
const hasFailed = ({ lastEnd, heldReason, waitsFor }: JobFacts): boolean =>
  lastEnd ? lastEnd.outcome !== "parked" : heldReason !== null && waitsFor.length === 0

function isRetried(job: JobFacts): Waiting {
  const { jobType, epoch: attempt, lastEnd, heldReason, retries, retriesLeft } = job
  const counted = retries === undefined ? {} : { failures: retries - retriesLeft, maxAttempts: retries + 1 }
  const reason = String(lastEnd?.error ?? heldReason)
  const detail = { jobType, attempt, ...counted, reason, dueAt: dueAtOf(job) }
  return { kind: "retry", ...placeOf(job, lastEnd?.endedAt), detail }
}

function isParked(job: JobFacts): readonly Waiting[] {
  const { jobType, epoch: attempt, lastEnd, heldReason, waits, waitsFor, visibleAt } = job
  const place = placeOf(job, lastEnd?.endedAt)
  if (heldReason !== null && waits.length === 0)
    return [{ kind: "returned", ...place, detail: { jobType, attempt, reason: heldReason, dueAt: dueAtOf(job) } }]
  return whyRunWaits({ place, waits, waitsFor, visibleAt })
}
