// What follows an accepted report or a lost lease: the next step, another attempt, or failure.
import { assert } from "../../support/assert.ts"
import type { JsonObject } from "../../support/json.ts"
import { checkVariables } from "../definitions/variable-schema.ts"
import { retryDelayMs } from "../jobs/retry-delay.ts"
import { type Draft, endJob, findOpen, isDecided, record } from "./draft.ts"
import { openUserTask } from "./enter-step.ts"
import { settle, skipAll } from "./finish.ts"
import type { OpenStep } from "./instance.ts"
import { completeStep, failStep } from "./leave-step.ts"
import type { DeadReason, EndedAttempt, LeaseRecord, NewUserTask, ReportRecord, RunStep } from "./plan.ts"

/** The live job as it stands under lock when it is reported on. */
export interface JobFacts {
  readonly execution: number
  readonly retriesLeft: number
  readonly lostLeases: number
  readonly lease: LeaseRecord
}

export interface Completion {
  readonly delta: JsonObject | undefined
  /** Steps of a run that are recorded with its end. */
  readonly steps?: readonly RunStep[] | undefined
}

export interface Failure {
  readonly message: string
  readonly retryable: boolean
  /** The worker's own wish; it wins over the policy. */
  readonly retryAfterMs?: number | undefined
  /** Or its own formula, by how many retries there were before. */
  readonly backoff?: ((retriesBefore: number) => number) | undefined
  /** Tried again although no retry is left. */
  readonly isUnlimited?: boolean | undefined
  readonly outcome?: "failed" | "timed-out"
  /** An event with this linking id may bring the next attempt forward. */
  readonly wakeOn?: string | undefined
  /** Steps of a run that are to be done again. */
  readonly steps?: readonly RunStep[] | undefined
}

/** A run that waits gives its worker back: for a time, for a signal, or for a person. */
export interface Parking {
  /** What it has come to; nothing when a worker merely leaves the run to another. */
  readonly waits: readonly ParkedWait[]
  /** Tasks it no longer waits for, by name: completed, or not in time. */
  readonly over?: readonly string[] | undefined
  /** Null: until a signal comes. */
  readonly delayMs: number | null
  /** For people who wonder why it does not move. */
  readonly reason?: string | undefined
}

export interface ParkedWait {
  readonly step: RunStep
  /** The signal that ends it. */
  readonly waitsFor?: string | undefined
  /** Opened when the run comes to it first. */
  readonly task?: Omit<NewUserTask, "execution" | "stepId"> | undefined
}

// Several reports on one job may share a draft: the first counts, the others change nothing.

export function planJobCompleted(draft: Draft, job: JobFacts, { delta, steps = [] }: Completion, actor: string): void {
  if (isDecided(draft, job.execution)) return
  draft.runSteps.push(...steps)
  const open = openOf(draft, job)
  // A task that was not done in time: nobody waits for it any more.
  if (draft.definition.isList)
    skipAll(
      draft,
      draft.open.filter((other) => other !== open),
    )
  const step = draft.definition.step(open.stepId)
  const schema = "outputSchema" in step ? step.outputSchema : undefined
  const violations = schema ? checkVariables(schema, delta ?? {}, "$.variables") : []
  endJob(draft, job.execution)
  if (violations.length > 0) {
    const reason = `output of ${step.id} does not fit its schema: ${violations.map((v) => `${v.path} ${v.message}`).join("; ")}`
    const report = { ...job.lease, verb: "complete" } as const
    return failJob(draft, open, job, { why: "not-retryable", reason, actor, report })
  }
  record(draft, "JOB_COMPLETED", actor, { stepId: open.stepId })
  completeStep(draft, open, delta, { ...job.lease, verb: "complete" })
}

export function planJobFailed(draft: Draft, job: JobFacts, failure: Failure, actor: string): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const reason = failure.message || "the worker gave no reason"
  draft.runSteps.push(...(failure.steps ?? []))
  if (!failure.retryable || (job.retriesLeft === 0 && !failure.isUnlimited)) {
    endJob(draft, job.execution)
    const why = failure.retryable ? "exhausted" : "not-retryable"
    return failJob(draft, open, job, { why, reason, actor, report: { ...job.lease, verb: "fail" } })
  }
  const policy = policyOf(draft, open)
  const wish = failure.retryAfterMs ?? failure.backoff?.(policy.retries - job.retriesLeft)
  const delayMs = wish ?? retryDelayMs(policy, job.retriesLeft, draft.context.random)
  const retriesLeft = Math.max(0, job.retriesLeft - 1)
  draft.requeuedJobs.push({ ...requeue(job), delayMs, retriesLeft, keepsToken: false, reason })
  draft.endedAttempts.push(attempt(job, failure.outcome ?? "failed", reason))
  draft.linkingId = failure.wakeOn
  record(draft, "JOB_RETRIED", actor, { stepId: open.stepId, error: reason, retriesLeft, delayMs })
}

/** No attempt and no failure: the run has come to a step that waits, and holds no worker meanwhile. */
export function planJobParked(draft: Draft, job: JobFacts, parking: Parking, actor: string): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const { waits, over = [], delayMs, reason } = parking
  const waitsFor = waits.flatMap((wait) => wait.waitsFor ?? [])
  // A run that has come to a wait has got somewhere: what it met before is not held against it for the rest of its life.
  const counts = waits.length > 0 ? { retriesLeft: policyOf(draft, open).retries, lostLeases: 0 } : {}
  const how = { delayMs, keepsToken: false, waitsFor, ...(reason ? { reason } : {}) }
  draft.requeuedJobs.push({ ...requeue(job), ...counts, ...how })
  skipAll(
    draft,
    draft.open.filter((other) => other !== open && over.includes(other.stepId)),
  )
  for (const { step, task } of waits) {
    draft.runSteps.push(step)
    if (task && !draft.open.some((other) => other.stepId === step.name)) openUserTask(draft, step.name, task)
  }
  settle(draft)
  if (waitsFor.length > 0) draft.status = "WAITING"
  const at = waits.map(({ step }) => step.name)
  draft.endedAttempts.push(attempt(job, "parked", reason ?? `waits at ${at.join(", ")}`))
  record(draft, "JOB_PARKED", actor, { stepId: open.stepId, at, ...(reason ? { reason } : {}) })
}

/** The worker went away. Not a retry: it is counted apart, and a job that keeps losing its workers is a poison pill (S9). */
export function planLeaseLost(draft: Draft, job: JobFacts, counts = true): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const lostLeases = job.lostLeases + (counts ? 1 : 0)
  const workerId = job.lease.workerId ?? ""
  record(draft, "LEASE_EXPIRED", "engine", { stepId: open.stepId, workerId, lostLeases })
  draft.endedAttempts.push(attempt(job, "lost", "heartbeat timeout"))
  if (lostLeases <= draft.context.maxLostLeases) {
    draft.requeuedJobs.push({ ...requeue(job), delayMs: 0, lostLeases, keepsToken: true })
    return
  }
  const reason = `poison pill: ${lostLeases} workers were lost while they held this job (worker_lost)`
  endJob(draft, job.execution)
  failJob(draft, open, job, { why: "worker-lost", reason, actor: "engine" })
}

interface LastFailure {
  readonly why: DeadReason
  readonly reason: string
  readonly actor: string
  readonly report?: ReportRecord
}

/** The step fails with its job. Where the instance fails by it, the job is a dead letter: the one that a replay begins with. */
function failJob(draft: Draft, open: OpenStep, job: JobFacts, { why, reason, actor, report }: LastFailure): void {
  const retries = Math.max(0, policyOf(draft, open).retries - job.retriesLeft)
  record(draft, "JOB_FAILED", actor, { stepId: open.stepId, reason })
  failStep(draft, open, reason, { report, retries })
  if (draft.cut?.some((step) => step.failed && step.stepId === open.stepId && step.attempt === open.attempt))
    draft.deadJob = { execution: job.execution, reason: why, error: reason, retryCount: retries }
}

function openOf(draft: Draft, job: JobFacts): OpenStep {
  const open = findOpen(draft, job.execution)
  assert(open, `a live job belongs to an open step (execution ${job.execution})`)
  return open
}

function policyOf(draft: Draft, open: OpenStep) {
  const step = draft.definition.step(open.stepId)
  assert(step.type === "SERVICE_TASK", "only service tasks have jobs")
  return draft.definition.retryPolicy(step)
}

const requeue = ({ execution, retriesLeft, lostLeases }: JobFacts) => ({ execution, retriesLeft, lostLeases })

const attempt = (job: JobFacts, outcome: EndedAttempt["outcome"], error: string): EndedAttempt => ({
  execution: job.execution,
  outcome,
  error,
  lease: job.lease,
})
