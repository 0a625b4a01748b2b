// Why one job is not moving: it is with a worker, waits for a time or a word, is held back by an operator or a limit, or stands in a queue.

import type { Pause } from "../../store/flow/live-settings.ts"
import type { WaitingJobRow } from "../../store/jobs/waiting-jobs.ts"
import { isoTime } from "../../support/iso-time.ts"
import { type DownstreamView, findDownstream } from "../flow/change-downstreams.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { stepOfEnding } from "../runs/start-child.ts"

export interface WaitingReason {
  readonly kind: "user-task" | "signal" | "timer" | "job-queued" | "job-leased" | "retry" | "paused" | "pace" | "limit"
  readonly stepId?: string
  readonly since: string
  /** `message` says it in words; the other fields are what the kind calls for. */
  readonly detail: { readonly message: string; readonly [fact: string]: unknown }
}

/** Jobs ahead are counted to this. */
export const COUNTED_TO = 1_000

export async function explainJob(kernel: Kernel, job: WaitingJobRow): Promise<readonly WaitingReason[]> {
  if (job.status === "leased") return [isWithWorker(job)]
  const { priority, job_type: jobType, definition_id: definitionId, downstream } = job
  const pause = liveSettingsOf(kernel).pauseOfQueue({ priority, jobType, definitionId, downstream })
  const paused = pause ? [isPaused(job, pause)] : []
  if (job.status === "held") return [waitsOutsideQueue(job), ...paused]
  if (pause) return paused
  const limits = downstream === "" ? undefined : await findDownstream(kernel, downstream)
  return [limits && isPaced(limits) ? waitsForPace(kernel, job, limits) : waitsInQueue(kernel, job)]
}

/** A standalone job has no step. */
const placeOf = ({ step_id: stepId, definition_id, created_at }: WaitingJobRow) => ({
  ...(definition_id === "" ? {} : { stepId }),
  since: isoTime(created_at),
})

function isWithWorker(job: WaitingJobRow): WaitingReason {
  const { job_type: jobType, worker_id: workerId, epoch: attempt } = job
  const leasedUntil = isoTime(job.lease_until ?? 0)
  const message = `attempt ${attempt} is with worker ${workerId}, leased until ${leasedUntil}`
  return { kind: "job-leased", ...placeOf(job), detail: { message, jobType, workerId, attempt, leasedUntil } }
}

const PAUSED: Readonly<Record<Pause["kind"], string>> = {
  queue: "queue",
  jobType: "job type",
  definition: "definition",
  downstream: "downstream",
}

function isPaused(job: WaitingJobRow, { kind, name, reason, by: pausedBy, at }: Pause): WaitingReason {
  const pausedAt = isoTime(at)
  const because = reason === null ? "" : `: ${reason}`
  const message = `${PAUSED[kind]} ${name} was paused by ${pausedBy} at ${pausedAt}${because}`
  const why = reason === null ? {} : { reason }
  const since = isoTime(Math.max(at, job.created_at))
  return { ...placeOf(job), kind: "paused", since, detail: { message, paused: kind, name, pausedBy, pausedAt, ...why } }
}

function waitsInQueue(kernel: Kernel, job: WaitingJobRow): WaitingReason {
  const { job_type: jobType, priority, ahead, fair_key: fairKey } = job
  const share = liveSettingsOf(kernel).weights[priority]
  const turn = fairKey === null ? "" : ` of its key ${fairKey}, which takes turns with the others,`
  const message = `${jobs(ahead)}${turn} are before it at priority ${priority}, which gets ${share} of 100 claims; ${lastPoll(job)}`
  const polled = job.polled_at === null ? {} : { lastPolledAt: isoTime(job.polled_at) }
  const fair = fairKey === null ? {} : { fairKey }
  const detail = { message, jobType, priority, share, position: ahead + 1, ...fair, ...polled }
  return { kind: "job-queued", ...placeOf(job), detail }
}

const jobs = (ahead: number): string => (ahead < COUNTED_TO ? `${ahead} jobs` : `${COUNTED_TO} jobs or more`)

const lastPoll = ({ job_type, polled_at }: WaitingJobRow): string =>
  polled_at === null
    ? `no worker has ever polled for ${job_type}`
    : `the last worker to poll for ${job_type} did so at ${isoTime(polled_at)}`

const isPaced = ({ effectivePerSecond, concurrency, closedUntil }: DownstreamView): boolean =>
  effectivePerSecond !== undefined || concurrency !== undefined || closedUntil !== undefined

function waitsForPace(kernel: Kernel, job: WaitingJobRow, limits: DownstreamView): WaitingReason {
  const { ahead_at_downstream: ahead, downstream } = job
  const { effectivePerSecond: perSecond, concurrency, inFlight, closedUntil } = limits
  const expected = expectedAt(kernel.clock.nowMs(), ahead + 1, limits)
  const words = [
    `${jobs(ahead)} are before it for downstream ${downstream}`,
    ...(perSecond === undefined ? [] : [`which is given ${perSecond} a second`]),
    ...(concurrency === undefined ? [] : [`which has ${inFlight} of ${concurrency} in flight`]),
    ...(closedUntil === undefined ? [] : [`which asked to be left alone until ${closedUntil}`]),
    ...(expected === undefined ? [] : [`it is expected to be handed out at ${expected}`]),
  ]
  const facts = { downstream, position: ahead + 1, perSecond, concurrency, inFlight, closedUntil, expectedAt: expected }
  return { kind: "pace", ...placeOf(job), detail: { message: words.join(", "), ...given(facts) } }
}

/** At its pace, from the moment it takes anything. */
function expectedAt(
  nowMs: number,
  position: number,
  { effectivePerSecond, closedUntil }: DownstreamView,
): string | undefined {
  if (effectivePerSecond === undefined || effectivePerSecond === 0) return undefined
  const fromMs = closedUntil === undefined ? nowMs : Math.max(nowMs, Date.parse(closedUntil))
  return isoTime(Math.round(fromMs + (position / effectivePerSecond) * 1_000))
}

const given = (facts: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))

function waitsOutsideQueue(job: WaitingJobRow): WaitingReason {
  if (job.waits_for !== null) return waitsForWord(job, job.waits_for)
  if (job.visible_at === null && job.limit_key !== null) return waitsForLimit(job, job.limit_key)
  return waitsForTime(job)
}

/** A run that has parked itself. */
function waitsForWord(job: WaitingJobRow, waitsFor: string): WaitingReason {
  const due = job.visible_at === null ? {} : { dueAt: isoTime(job.visible_at) }
  const signals = waitsFor.split("\n")
  const until = due.dueAt === undefined ? "" : `, at most until ${due.dueAt}`
  const message = `waits for ${signals.map(describeSignal).join(" or ")}${until}`
  return { kind: "signal", ...placeOf(job), detail: { message, signals, ...due } }
}

function describeSignal(name: string): string {
  const child = stepOfEnding(name)
  return child === undefined ? `POST …/signals/${name}` : `the end of its child ${child}`
}

function waitsForLimit(job: WaitingJobRow, limitKey: string): WaitingReason {
  const { under_way: underWay, limit_max: max, ahead } = job
  const message = `${underWay} jobs with limit key ${limitKey} are under way, of ${max} at most; ${jobs(ahead)} are held before it`
  return { kind: "limit", ...placeOf(job), detail: { message, limitKey, max, underWay, position: ahead + 1 } }
}

/** Tried again later; or never tried, because it was not to begin before. */
function waitsForTime(job: WaitingJobRow): WaitingReason {
  const { job_type: jobType, epoch: attempt, held_reason: reason } = job
  const due = job.visible_at === null ? {} : { dueAt: isoTime(job.visible_at) }
  if (attempt === 0) {
    const message = `it is not to begin before ${due.dueAt}`
    return { kind: "timer", ...placeOf(job), detail: { message, jobType, ...due } }
  }
  const message = `the next attempt is due at ${due.dueAt}${reason === null ? "" : `: ${reason}`}`
  const why = reason === null ? {} : { reason }
  return { kind: "retry", ...placeOf(job), detail: { message, jobType, attempt, ...due, ...why } }
}
