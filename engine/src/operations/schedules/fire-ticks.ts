// One firing of a schedule, by time or by hand: the run, what it starts and the next time are one transaction. A tick is its run's
// primary key: no crash in between and no second leader can make it fire twice, or not at all.

import type { Transaction } from "../../db/transaction.ts"
import { type DueTicks, planTicks } from "../../model/schedules/schedule-ticks.ts"
import {
  type Cause,
  findFirstWaiting,
  insertRuns,
  type LineRow,
  noteStart,
  type RunKey,
  type ScheduleRow,
  type Settled,
  settleRun,
} from "../../store/schedules/schedules.ts"
import { EngineError } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { cancelInstance } from "../instances/change-instance.ts"
import { startInstance } from "../instances/start/start-instance.ts"
import { cancelJob } from "../jobs/end/cancel-job.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** Scheduled jobs are tried again after 1, 2 and 4 minutes. */
const SCHEDULED = { retries: 3, retry: "minutes" } as const

export interface Firing {
  readonly kernel: Kernel
  readonly tx: Transaction
  /** Its row is locked by this transaction. */
  readonly schedule: ScheduleRow
  readonly line: LineRow
  readonly actor: string
  /** The trace of the request that runs it by hand. */
  readonly trace?: string | undefined
  /** By which it failed before: nothing is started, and the run is recorded as failed. */
  readonly failure?: EngineError | undefined
}

export interface FiredTick extends Settled {
  readonly dueAt: number
}

/** Returns what has become of each tick that had no run yet. */
export async function fireTicks(firing: Firing, cause: Cause, due: DueTicks): Promise<readonly FiredTick[]> {
  const { kernel, tx, schedule, line } = firing
  const { overlap, catch_up: catchUp, last_work_id } = schedule
  const liveId = line.live_as === null ? null : last_work_id
  const planned = planTicks({ overlap, catchUp }, due, { liveId, waiting: line.waiting })
  const fresh = await insertRuns(tx, schedule.id, cause, planned)
  const fired: FiredTick[] = []
  for (const { dueAt, outcome, detail } of planned.filter((tick) => fresh.has(tick.dueAt))) {
    const settled = outcome === "started" ? await begin(firing, { scheduleId: schedule.id, dueAt, cause }) : undefined
    fired.push({ dueAt, ...(settled ?? { outcome, detail, workId: null }) })
  }
  tx.afterCommit(() => {
    for (const { outcome } of fired) kernel.metrics.scheduleRuns.inc({ outcome })
  })
  return fired
}

/** The next of those that wait, once there is nothing left to wait for. */
export async function fireWaiting(firing: Firing): Promise<boolean> {
  const { kernel, tx } = firing
  if (firing.line.live_as !== null) return false
  const run = await findFirstWaiting(tx, firing.schedule.id)
  if (!run) return false
  const { outcome } = await begin(firing, run)
  tx.afterCommit(() => kernel.metrics.scheduleRuns.inc({ outcome }))
  return true
}

async function begin(firing: Firing, run: RunKey): Promise<Settled> {
  const { tx, schedule, failure } = firing
  const settled = failure ? failedBy(firing, failure) : await tryToStart(firing)
  settleRun(tx, run, settled)
  if (settled.workId !== null) noteStart(tx, schedule.id, settled.workId)
  return settled
}

/** What the start throws as an EngineError fails the run, and no more than that. */
async function tryToStart(firing: Firing): Promise<Settled> {
  try {
    return { outcome: "started", workId: await startWork(firing), detail: null }
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === "unavailable") throw error
    return failedBy(firing, error)
  }
}

function failedBy({ kernel, schedule }: Firing, error: EngineError): Settled {
  kernel.log.warn({ err: error, scheduleId: schedule.id }, "a schedule could not start its work")
  return { outcome: "failed", workId: null, detail: error.message }
}

/** Returns the id of what it has started. */
async function startWork(firing: Firing): Promise<string> {
  const { kernel, tx, schedule, line } = firing
  const { definition_id: definitionId } = schedule
  // The start may have been planned with a version that is no longer the latest.
  tx.afterRollback(() => definitionId !== null && definitionsOf(kernel).forgetLatest(definitionId))
  const workId = await startTarget(firing)
  if (line.live_as !== null) await cancelLast(firing)
  return workId
}

async function startTarget({ kernel, tx, schedule, actor, trace }: Firing): Promise<string> {
  const { definition_id: definitionId, job_type: jobType, input } = schedule
  const how = { priority: schedule.priority ?? undefined, door: "schedule", actor, trace } as const
  if (jobType !== null) {
    // A schedule has promised this job, so it is accepted even when the queue is full.
    const request = { jobType, payload: input, ...SCHEDULED, whenFull: "absorb", ...how } as const
    return (await enqueueJob(kernel, request, tx)).job.id
  }
  const variables = JSON.parse(input) as JsonObject
  return (await startInstance(kernel, { definitionId: definitionId ?? "", variables, ...how }, tx)).instance.id
}

/** It may just have ended by itself. */
async function cancelLast({ kernel, tx, schedule, line, actor }: Firing): Promise<void> {
  const id = schedule.last_work_id ?? ""
  const reason = `the next run of schedule ${schedule.id} has begun`
  const cancelled =
    line.live_as === "job"
      ? cancelJob(kernel, { id, reason, actor }, tx)
      : cancelInstance(kernel, { instanceId: id, reason, actor }, tx)
  await cancelled.catch((error) => {
    if (!(error instanceof EngineError && ["conflict", "not-found"].includes(error.code))) throw error
  })
}
