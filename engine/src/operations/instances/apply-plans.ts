// Writes plans: gathers the rows of all plans of a batch, one statement per table, empty ones left out.

import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { NewJob, Plan } from "../../model/instances/plan.ts"
import type { QueueKey } from "../../store/flow/queues.ts"
import { insertAudit } from "../../store/instances/audit.ts"
import { deleteBusinessKeys } from "../../store/instances/business-keys.ts"
import { insertChains } from "../../store/instances/chains.ts"
import { insertHistory } from "../../store/instances/history.ts"
import {
  finishInstances,
  type InstanceFinish,
  type InstanceUpdate,
  setLinkingIds,
  updateInstances,
} from "../../store/instances/instances.ts"
import { insertEndings } from "../../store/instances/requests.ts"
import { deleteTimers, deleteTimersOfSteps, insertTimers } from "../../store/instances/timers.ts"
import { insertJobs } from "../../store/jobs/jobs.ts"
import { closeUserTasks, insertUserTasks } from "../../store/people/user-tasks.ts"
import { insertRunSteps } from "../../store/runs/run-steps.ts"
import { insertSignals, releaseSignalled } from "../../store/runs/signals.ts"
import { fingerprint } from "../../support/fingerprint.ts"
import { executionId } from "../../support/ids.ts"
import type { JobKey } from "../../support/job-key.ts"
import { newDeadLetter } from "../dead-letters/new-dead-letter.ts"
import { publishLife } from "../events/publish-life.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { handOver } from "../jobs/claim/hand-over.ts"
import { wakeQueues } from "../jobs/claim/wake-queues.ts"
import { writeEnds } from "../jobs/end/write-ends.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { METER_MS } from "../kernel/loops.ts"
import { endingsOf } from "./endings.ts"

/** A plan and the instance it is for. */
export interface PlannedInstance {
  readonly id: string
  readonly definition: CompiledDefinition
  readonly businessKey: string | undefined
  readonly priority: Priority
  /** Audit sequence number before the plan. */
  readonly version: number
  readonly plan: Plan
  readonly nowMs: number
  /** The run that undoes it, where it has ended and one does. */
  readonly undoneBy?: string | undefined
}

/** Queue of a planned job. */
export const queueOf = (planned: PlannedInstance, job: NewJob): QueueKey => ({
  priority: job.priority,
  jobType: job.jobType,
  definitionId: planned.definition.id,
  downstream: job.downstream,
})

/** Queues that no job went to before are made ahead of the write. */
export async function ensureQueuesOf(kernel: Kernel, all: readonly PlannedInstance[]): Promise<void> {
  const missing: QueueKey[] = []
  for (const planned of all) {
    for (const job of planned.plan.newJobs) {
      const key = queueOf(planned, job)
      if (!queuesOf(kernel).knows(key)) missing.push(key)
    }
  }
  if (missing.length > 0) await queuesOf(kernel).ensure(missing)
}

/** The instance rows of instances that exist already. */
export function writeInstances(tx: Transaction, all: readonly PlannedInstance[]): void {
  const updates: InstanceUpdate[] = []
  const finishes: InstanceFinish[] = []
  for (const { id, plan, nowMs, undoneBy = null } of all) {
    const base = {
      id,
      status: plan.status,
      version: plan.version,
      delta: plan.delta ? JSON.stringify(plan.delta) : null,
    }
    if (plan.finish) finishes.push({ ...base, ...finishColumns(plan, nowMs), undoneBy })
    else updates.push({ ...base, state: JSON.stringify(plan.state) })
  }
  if (updates.length > 0) updateInstances(tx, updates)
  if (finishes.length > 0) finishInstances(tx, finishes)
}

export const finishColumns = (plan: Plan, nowMs: number) => ({
  state: plan.status === "FAILED" ? JSON.stringify(plan.state) : null,
  completedAt: nowMs,
  failureReason: plan.finish?.reason ?? null,
  failure: plan.status === "FAILED" ? fingerprint(plan.finish?.reason ?? "") : null,
})

/** Everything of a plan but the instance row itself. */
export function writeEffects(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  writeHistory(kernel, tx, all)
  writeJobEnds(kernel, tx, all)
  writeNewJobs(kernel, tx, all)
  writeRuns(kernel, tx, all)
  writeTimers(tx, all)
  writeUserTasks(tx, all)
  writeEndings(tx, all)
  publishLife(kernel, tx, all)
}

function writeHistory(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const steps = flatten(all, (p) => p.plan.closedSteps.map((step) => ({ instanceId: p.id, endedAt: p.nowMs, step })))
  if (steps.length > 0) insertHistory(tx, steps)
  if (!kernel.settings.auditLogEnabled) return
  const audit = flatten(all, (p) =>
    p.plan.audit.map((entry, index) => ({ instanceId: p.id, seq: p.version + index + 1, at: p.nowMs, entry })),
  )
  if (audit.length > 0) insertAudit(tx, audit)
}

/** What attempts at the steps' jobs have led to. A job whose lease was lost becomes ready again here, among the requeued. */
function writeJobEnds(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  writeEnds(kernel, tx, {
    attempts: flatten(all, (p) =>
      p.plan.endedAttempts.map((attempt) => ({ ...attempt, key: jobOf(p, attempt.execution), endedAt: p.nowMs })),
    ),
    requeued: flatten(all, (p) => p.plan.requeuedJobs.map((job) => ({ ...job, key: jobOf(p, job.execution) }))),
    spent: flatten(all, (p) => p.plan.spentRetries.map((spent) => ({ ...spent, instanceId: p.id }))),
    steps: {
      over: flatten(all, (p) => p.plan.endedJobs.map((execution) => ({ instanceId: p.id, execution }))),
      dead: flatten(all, ({ id, plan: { deadJob }, nowMs }) =>
        deadJob ? [{ ...deadJob, ...newDeadLetter(kernel, deadJob), instanceId: id, deadAt: nowMs }] : [],
      ),
    },
  })
}

const jobOf = ({ id }: PlannedInstance, execution: number): JobKey => ({ kind: "step", instanceId: id, execution })

function writeNewJobs(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const created = flatten(all, (p) =>
    p.plan.newJobs.map(({ effect, ...job }) => ({
      ...job,
      ...(effect === undefined ? {} : { effectKey: executionId(p.id, effect) }),
      instanceId: p.id,
      queueId: queuesOf(kernel).idOf(queueOf(p, job)),
      createdAt: p.nowMs,
    })),
  )
  const ready = handOver(kernel, tx, created)
  if (ready.length === 0) return
  insertJobs(tx, ready)
  tx.afterCommit(() =>
    wakeQueues(
      kernel,
      ready.map((job) => job.queueId),
    ),
  )
}

/** Writes the steps that workers of step lists have done, and the signals that their runs are sent. */
function writeRuns(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const steps = flatten(all, (p) => p.plan.runSteps.map((step) => ({ instanceId: p.id, endedAt: p.nowMs, step })))
  if (steps.length > 0) insertRunSteps(tx, steps)
  const signals = flatten(all, (p) => p.plan.newSignals.map((s) => ({ ...s, instanceId: p.id, receivedAt: p.nowMs })))
  if (signals.length > 0) {
    insertSignals(tx, signals)
    releaseSignalled(tx, signals, (queueIds) => wakeQueues(kernel, queueIds))
  }
  const linked = flatten(all, ({ id, plan: { linkingId } }) => (linkingId === undefined ? [] : [{ id, linkingId }]))
  if (linked.length > 0) setLinkingIds(tx, linked)
}

function writeTimers(tx: Transaction, all: readonly PlannedInstance[]): void {
  const fired = flatten(all, (p) => p.plan.firedTimers.map((timer) => ({ instanceId: p.id, ...timer })))
  if (fired.length > 0) deleteTimers(tx, fired)
  const ended = flatten(all, (p) => p.plan.endedTimers.map((execution) => ({ instanceId: p.id, execution })))
  if (ended.length > 0) deleteTimersOfSteps(tx, ended)
  const created = flatten(all, (p) => p.plan.newTimers.map((timer) => ({ instanceId: p.id, ...timer })))
  if (created.length > 0) insertTimers(tx, created)
}

function writeUserTasks(tx: Transaction, all: readonly PlannedInstance[]): void {
  const closed = flatten(all, (p) =>
    p.plan.closedUserTasks.map((task) => ({ instanceId: p.id, closedAt: p.nowMs, task })),
  )
  if (closed.length > 0) closeUserTasks(tx, closed)
  const created = flatten(all, (p) =>
    p.plan.newUserTasks.map((task) => ({
      instanceId: p.id,
      definitionId: p.definition.id,
      definitionVersion: p.definition.version,
      createdAt: p.nowMs,
      task,
    })),
  )
  if (created.length > 0) insertUserTasks(tx, created)
}

/** What an instance leaves when it ends: its business key is free again, and the next workflow is asked for. */
function writeEndings(tx: Transaction, all: readonly PlannedInstance[]): void {
  const keys = all
    .filter((p) => p.plan.finish && p.businessKey !== undefined)
    .map((p) => ({ definitionId: p.definition.id, businessKey: p.businessKey as string, instanceId: p.id }))
  if (keys.length > 0) deleteBusinessKeys(tx, keys)
  const endings = flatten(all, (p) => (p.plan.ending ? [p.plan.ending] : []))
  if (endings.length > 0) insertEndings(tx, endings)
  const chains = flatten(all, (p) =>
    p.plan.next
      ? [
          {
            ...p.plan.next,
            parentId: p.id,
            businessKey: p.businessKey ?? null,
            priority: p.priority,
            createdAt: p.nowMs,
          },
        ]
      : [],
  )
  if (chains.length > 0) insertChains(tx, chains)
}

function flatten<T>(all: readonly PlannedInstance[], rows: (planned: PlannedInstance) => readonly T[]): T[] {
  const result: T[] = []
  for (const planned of all) for (const row of rows(planned)) result.push(row)
  return result
}

/** After commit: count what happened, and tell the loops what falls due. */
export function announce(kernel: Kernel, all: readonly PlannedInstance[]): void {
  count(kernel, all)
  nudgeLoops(kernel, all)
  if (!endingsOf(kernel).isEmpty) for (const { id, plan } of all) if (plan.finish) endingsOf(kernel).tell(id)
}

/** Added up over the batch: a labelled counter costs more than the event it counts. */
function count({ metrics }: Kernel, all: readonly PlannedInstance[]): void {
  const steps = new Map<string, number>()
  const ends = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  let retries = 0
  let [processed, failed] = [0, 0]
  for (const { plan } of all) {
    for (const { stepType, status } of plan.closedSteps) {
      add(steps, stepType)
      if (stepType !== "SERVICE_TASK" || status === "SKIPPED") continue
      processed += 1
      if (status === "FAILED") failed += 1
    }
    for (const job of plan.requeuedJobs) if (!job.keepsToken) retries += 1
    retries += plan.spentRetries.length
    if (plan.finish) add(ends, plan.finish.status)
  }
  for (const [step_type, n] of steps) metrics.stepsExecuted.inc({ step_type }, n)
  for (const [outcome, n] of ends) metrics.instancesCompleted.inc({ outcome }, n)
  if (retries > 0) metrics.jobRetries.inc(retries)
  if (processed > 0) metrics.processedSteps.inc(processed)
  if (failed > 0) metrics.failedSteps.inc(failed)
}

function nudgeLoops(kernel: Kernel, all: readonly PlannedInstance[]): void {
  if (all.some(({ plan }) => plan.newJobs.length > 0 || plan.endedJobs.length > 0)) kernel.nudge("meter", METER_MS)
  for (const { plan } of all) {
    for (const { dueInMs } of plan.newTimers) kernel.nudge("timers", dueInMs)
    for (const { delayMs } of plan.requeuedJobs) if (delayMs) kernel.nudge("releaser", delayMs)
    if (plan.next) kernel.nudge("chains", 0)
    if (plan.ending) kernel.nudge("requests", 0)
  }
}
