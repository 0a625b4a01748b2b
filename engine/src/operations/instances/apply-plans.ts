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
import { type ExecutionKey, executionId } from "../../support/ids.ts"
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
  const steps = rowsOf(
    all,
    (plan) => plan.closedSteps,
    ({ id, nowMs }, step) => ({ instanceId: id, endedAt: nowMs, step }),
  )
  if (steps.length > 0) insertHistory(tx, steps)
  if (!kernel.settings.auditLogEnabled) return
  const audit = all.filter(({ plan }) => plan.audit.length > 0)
  if (audit.length === 0) return
  insertAudit(
    tx,
    audit.map(({ id, version, nowMs, plan }) => ({ instanceId: id, seq: version + 1, at: nowMs, entries: plan.audit })),
  )
}

/** What attempts at the steps' jobs have led to. A job whose lease was lost becomes ready again here, among the requeued. */
function writeJobEnds(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  writeEnds(kernel, tx, {
    attempts: rowsOf(
      all,
      (plan) => plan.endedAttempts,
      (p, attempt) => ({ ...attempt, key: jobOf(p, attempt.execution), endedAt: p.nowMs }),
    ),
    requeued: rowsOf(
      all,
      (plan) => plan.requeuedJobs,
      (p, job) => ({ ...job, key: jobOf(p, job.execution) }),
    ),
    spent: rowsOf(all, (plan) => plan.spentRetries, ofInstance),
    steps: {
      over: rowsOf(all, (plan) => plan.endedJobs, executionOf),
      dead: rowsOf(
        all,
        ({ deadJob }) => (deadJob ? [deadJob] : NONE),
        ({ id, nowMs }, dead) => ({ ...dead, ...newDeadLetter(kernel, dead), instanceId: id, deadAt: nowMs }),
      ),
    },
  })
}

const jobOf = ({ id }: PlannedInstance, execution: number): JobKey => ({ kind: "step", instanceId: id, execution })

const executionOf = ({ id }: PlannedInstance, execution: number): ExecutionKey => ({ instanceId: id, execution })

const ofInstance = <Part>({ id }: PlannedInstance, part: Part): Part & { readonly instanceId: string } => ({
  ...part,
  instanceId: id,
})

function writeNewJobs(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const queues = queuesOf(kernel)
  // Named one by one: an object made by spreading what is left of another is a slow one, and this is made at every step.
  const created = rowsOf(
    all,
    (plan) => plan.newJobs,
    (p, job) => ({
      instanceId: p.id,
      execution: job.execution,
      jobType: job.jobType,
      queueId: queues.idOf(queueOf(p, job)),
      stepId: job.stepId,
      retries: job.retries,
      runMs: job.runMs,
      createdAt: p.nowMs,
      downstream: job.downstream,
      effectKey: job.effect === undefined ? undefined : executionId(p.id, job.effect),
    }),
  )
  const ready = handOver(kernel, tx, created)
  if (ready.length === 0) return
  insertJobs(tx, ready)
  const queueIds = ready.map((job) => job.queueId)
  tx.afterCommit(() => wakeQueues(kernel, queueIds))
}

/** Writes the steps that workers of step lists have done, and the signals that their runs are sent. */
function writeRuns(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const steps = rowsOf(
    all,
    (plan) => plan.runSteps,
    ({ id, nowMs }, step) => ({ instanceId: id, endedAt: nowMs, step }),
  )
  if (steps.length > 0) insertRunSteps(tx, steps)
  const signals = rowsOf(
    all,
    (plan) => plan.newSignals,
    (p, signal) => ({ ...signal, instanceId: p.id, receivedAt: p.nowMs }),
  )
  if (signals.length > 0) {
    insertSignals(tx, signals)
    releaseSignalled(tx, signals, (queueIds) => wakeQueues(kernel, queueIds))
  }
  const linked = rowsOf(
    all,
    ({ linkingId }) => (linkingId === undefined ? NONE : [linkingId]),
    ({ id }, linkingId) => ({ id, linkingId }),
  )
  if (linked.length > 0) setLinkingIds(tx, linked)
}

function writeTimers(tx: Transaction, all: readonly PlannedInstance[]): void {
  const fired = rowsOf(all, (plan) => plan.firedTimers, ofInstance)
  if (fired.length > 0) deleteTimers(tx, fired)
  const ended = rowsOf(all, (plan) => plan.endedTimers, executionOf)
  if (ended.length > 0) deleteTimersOfSteps(tx, ended)
  const created = rowsOf(all, (plan) => plan.newTimers, ofInstance)
  if (created.length > 0) insertTimers(tx, created)
}

function writeUserTasks(tx: Transaction, all: readonly PlannedInstance[]): void {
  const closed = rowsOf(
    all,
    (plan) => plan.closedUserTasks,
    ({ id, nowMs }, task) => ({ instanceId: id, closedAt: nowMs, task }),
  )
  if (closed.length > 0) closeUserTasks(tx, closed)
  const created = rowsOf(
    all,
    (plan) => plan.newUserTasks,
    ({ id, definition, nowMs }, task) => ({
      instanceId: id,
      definitionId: definition.id,
      definitionVersion: definition.version,
      createdAt: nowMs,
      task,
    }),
  )
  if (created.length > 0) insertUserTasks(tx, created)
}

/** What an instance leaves when it ends: its business key is free again, and the next workflow is asked for. */
function writeEndings(tx: Transaction, all: readonly PlannedInstance[]): void {
  const keys = all
    .filter((p) => p.plan.finish && p.businessKey !== undefined)
    .map((p) => ({ definitionId: p.definition.id, businessKey: p.businessKey as string, instanceId: p.id }))
  if (keys.length > 0) deleteBusinessKeys(tx, keys)
  const endings = rowsOf(
    all,
    ({ ending }) => (ending ? [ending] : NONE),
    (_, ending) => ending,
  )
  if (endings.length > 0) insertEndings(tx, endings)
  const chains = rowsOf(
    all,
    ({ next }) => (next ? [next] : NONE),
    ({ id, businessKey = null, priority, nowMs }, next) => ({
      ...next,
      parentId: id,
      businessKey,
      priority,
      createdAt: nowMs,
    }),
  )
  if (chains.length > 0) insertChains(tx, chains)
}

const NONE: readonly never[] = []

/** The rows of one table. Most plans have nothing for most tables, so nothing is made for those. */
function rowsOf<Part, Row>(
  all: readonly PlannedInstance[],
  partsOf: (plan: Plan) => readonly Part[],
  row: (planned: PlannedInstance, part: Part, at: number) => Row,
): Row[] {
  const rows: Row[] = []
  for (const planned of all) {
    const parts = partsOf(planned.plan)
    for (let at = 0; at < parts.length; at++) rows.push(row(planned, parts[at] as Part, at))
  }
  return rows
}

/**
 * To be run after the commit. It is added up before: a batch waits for its commit while others are planned, and plans that were kept
 * until then would be copied by every collection of young objects, which was a quarter of Node's time.
 */
export function announcement(kernel: Kernel, all: readonly PlannedInstance[]): () => void {
  const counts = countAll(all)
  const dues = duesOf(all)
  const finished = all.filter(({ plan }) => plan.finish).map(({ id }) => id)
  return () => {
    report(kernel, counts)
    for (const [loop, dueInMs] of dues) kernel.nudge(loop, dueInMs)
    if (!endingsOf(kernel).isEmpty) for (const id of finished) endingsOf(kernel).tell(id)
  }
}

interface Counts {
  readonly steps: Map<string, number>
  readonly ends: Map<string, number>
  retries: number
  processed: number
  failed: number
}

/** Added up over the batch: a labelled counter costs more than the event it counts. */
function countAll(all: readonly PlannedInstance[]): Counts {
  const counts: Counts = { steps: new Map(), ends: new Map(), retries: 0, processed: 0, failed: 0 }
  for (const { plan } of all) {
    for (const { stepType, status } of plan.closedSteps) {
      add(counts.steps, stepType)
      if (stepType !== "SERVICE_TASK" || status === "SKIPPED") continue
      counts.processed += 1
      if (status === "FAILED") counts.failed += 1
    }
    for (const job of plan.requeuedJobs) if (!job.keepsToken) counts.retries += 1
    counts.retries += plan.spentRetries.length
    if (plan.finish) add(counts.ends, plan.finish.status)
  }
  return counts
}

const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

function report({ metrics }: Kernel, { steps, ends, retries, processed, failed }: Counts): void {
  for (const [step_type, n] of steps) metrics.stepsExecuted.inc({ step_type }, n)
  for (const [outcome, n] of ends) metrics.instancesCompleted.inc({ outcome }, n)
  if (retries > 0) metrics.jobRetries.inc(retries)
  if (processed > 0) metrics.processedSteps.inc(processed)
  if (failed > 0) metrics.failedSteps.inc(failed)
}

type Loop = Parameters<Kernel["nudge"]>[0]

/** The earliest moment of each loop that the plans have something for. */
function duesOf(all: readonly PlannedInstance[]): ReadonlyMap<Loop, number> {
  const dues = new Map<Loop, number>()
  const due = (loop: Loop, inMs: number) => dues.set(loop, Math.min(inMs, dues.get(loop) ?? inMs))
  for (const { plan } of all) {
    if (plan.newJobs.length > 0 || plan.endedJobs.length > 0) due("meter", METER_MS)
    for (const { dueInMs } of plan.newTimers) due("timers", dueInMs)
    for (const { delayMs } of plan.requeuedJobs) if (delayMs) due("releaser", delayMs)
    if (plan.next) due("chains", 0)
    if (plan.ending) due("requests", 0)
  }
  return dues
}
