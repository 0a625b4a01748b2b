// Why an instance is not moving, in words an operator can act on.
import type { InstanceState, OpenStep } from "../model/planner/instance.ts"
import { listWaitingJobs, type WaitingJobRow } from "../store/jobs.ts"
import { listTimers, type PendingTimerRow } from "../store/timers.ts"
import type { Context } from "./context.ts"
import { isoTime } from "./instance-view.ts"
import { getInstanceRow } from "./read-instances.ts"
import { stepOfEnding } from "./start-child.ts"

export interface WaitingReason {
  readonly kind: "user-task" | "signal" | "timer" | "job-queued" | "job-leased" | "retry"
  readonly stepId?: string
  readonly since: string
  /** `message` says it in words; the other fields are what the kind calls for. */
  readonly detail: { readonly message: string; readonly [fact: string]: unknown }
}

export async function explainWaiting(ctx: Context, instanceId: string): Promise<readonly WaitingReason[]> {
  const row = await getInstanceRow(ctx, instanceId)
  if (row.completed_at !== null || row.state === null) return []
  const { open } = JSON.parse(row.state) as InstanceState
  const definition = await ctx.definitions.version(row.definition_id, row.definition_version)
  const [jobs, timers] = await Promise.all([listWaitingJobs(ctx.db, instanceId), listTimers(ctx.db, instanceId)])
  const typeOf = (step: OpenStep) => definition?.step(step.stepId).type
  return [
    ...open.filter((step) => typeOf(step) === "USER_TASK").map(waitsForPerson),
    ...open.filter((step) => typeOf(step) === "WAIT").map(waitsForSignal),
    ...jobs.map(waitsForWorker),
    ...timers.map((timer) => waitsForTimer(timer, open, row.started_at)),
  ]
}

const waitsForPerson = ({ stepId, startedAt }: OpenStep): WaitingReason => ({
  kind: "user-task",
  stepId,
  since: isoTime(startedAt),
  detail: { message: "an open user task: complete it to go on" },
})

const waitsForSignal = ({ stepId, startedAt }: OpenStep): WaitingReason => ({
  kind: "signal",
  stepId,
  since: isoTime(startedAt),
  detail: { message: `waits for POST …/signals/${stepId}` },
})

function waitsForWorker(job: WaitingJobRow): WaitingReason {
  const base = { stepId: job.step_id, since: isoTime(job.created_at) }
  const { job_type: jobType, priority, worker_id: workerId, epoch: attempt } = job
  if (job.status === "leased") {
    const leasedUntil = isoTime(job.lease_until ?? 0)
    const message = `attempt ${attempt} is with worker ${workerId}, leased until ${leasedUntil}`
    return { kind: "job-leased", ...base, detail: { message, jobType, workerId, attempt, leasedUntil } }
  }
  if (job.status === "held") return waitsForTime(job)
  const message = `${job.ahead} jobs are before it at priority ${priority}; ${lastPoll(job)}`
  const polled = job.polled_at === null ? {} : { lastPolledAt: isoTime(job.polled_at) }
  return { kind: "job-queued", ...base, detail: { message, jobType, priority, position: job.ahead + 1, ...polled } }
}

function describeSignal(name: string): string {
  const child = stepOfEnding(name)
  return child === undefined ? `POST …/signals/${name}` : `the end of its child ${child}`
}

/** A run that has parked itself, for a signal or for a time; or a job that is tried again later. */
function waitsForTime(job: WaitingJobRow): WaitingReason {
  const { step_id: stepId, job_type: jobType, epoch: attempt, waits_for, held_reason: reason } = job
  const base = { stepId, since: isoTime(job.created_at) }
  const due = job.visible_at === null ? {} : { dueAt: isoTime(job.visible_at) }
  if (waits_for !== null) {
    const signals = waits_for.split("\n")
    const until = due.dueAt === undefined ? "" : `, at most until ${due.dueAt}`
    const message = `waits for ${signals.map(describeSignal).join(" or ")}${until}`
    return { kind: "signal", ...base, detail: { message, signals, ...due } }
  }
  const message = `the next attempt is due at ${due.dueAt}${reason === null ? "" : `: ${reason}`}`
  return {
    kind: "retry",
    ...base,
    detail: { message, jobType, attempt, ...due, ...(reason === null ? {} : { reason }) },
  }
}

const lastPoll = ({ job_type, polled_at }: WaitingJobRow): string =>
  polled_at === null
    ? `no worker has ever polled for ${job_type}`
    : `the last worker to poll for ${job_type} did so at ${isoTime(polled_at)}`

function waitsForTimer(timer: PendingTimerRow, open: readonly OpenStep[], startedAt: number): WaitingReason {
  const step = open.find(({ execution }) => execution === timer.execution)
  const dueAt = isoTime(timer.due_at)
  return {
    kind: "timer",
    ...(step ? { stepId: step.stepId } : {}),
    since: isoTime(step?.startedAt ?? startedAt),
    detail: { message: `${timer.timer} is due at ${dueAt}`, timer: timer.timer, dueAt },
  }
}
