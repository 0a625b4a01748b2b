// Why an instance or a standalone job is not moving, in words an operator can act on.

import type { InstanceState, OpenStep } from "../../model/instances/instance.ts"
import { listTimers, type PendingTimerRow } from "../../store/instances/timers.ts"
import { listWaitingJobs } from "../../store/jobs/waiting-jobs.ts"
import { notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import { parseJobId } from "../../support/job-key.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { COUNTED_TO, explainJob, type WaitingReason } from "../jobs/explain-job.ts"
import { getJob } from "../jobs/read-jobs.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { getInstanceRow } from "./read-instances.ts"

export type { WaitingReason } from "../jobs/explain-job.ts"

export async function explainWaiting(kernel: Kernel, instanceId: string): Promise<readonly WaitingReason[]> {
  const row = await getInstanceRow(kernel.db, instanceId)
  if (row.completed_at !== null || row.state === null) return []
  const { open } = JSON.parse(row.state) as InstanceState
  const definition = await definitionsOf(kernel).version(row.definition_id, row.definition_version)
  const [jobs, timers] = await Promise.all([explainJobs(kernel, instanceId), listTimers(kernel.db, instanceId)])
  const typeOf = (step: OpenStep) => definition?.step(step.stepId).type
  return [
    ...open.filter((step) => typeOf(step) === "USER_TASK").map(waitsForPerson),
    ...open.filter((step) => typeOf(step) === "WAIT").map(waitsForSignal),
    ...jobs,
    ...timers.map((timer) => waitsForTimer(timer, open, row.started_at)),
  ]
}

/** One job, of a step or standing alone. Nothing for one that has ended. */
export async function explainJobWaiting(kernel: Kernel, jobId: string): Promise<readonly WaitingReason[]> {
  const key = parseJobId(jobId)
  if (!key) throw notFound(`there is no job ${jobId.slice(0, 64)}`)
  const isStandalone = key.kind === "standalone"
  const reasons = isStandalone
    ? await explainJobs(kernel, key.id)
    : await explainJobs(kernel, key.instanceId, key.execution)
  if (reasons.length === 0) await (isStandalone ? getJob(kernel, key.id) : getInstanceRow(kernel.db, key.instanceId))
  return reasons
}

async function explainJobs(kernel: Kernel, instanceId: string, execution?: number): Promise<WaitingReason[]> {
  const rows = await listWaitingJobs(kernel.db, instanceId, COUNTED_TO)
  const wanted = execution === undefined ? rows : rows.filter((row) => row.execution === execution)
  return (await Promise.all(wanted.map((row) => explainJob(kernel, row)))).flat()
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
