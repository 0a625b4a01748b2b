// What follows an accepted report or a lost lease: the next step, another attempt, or failure.
import { assert } from "../../support/assert.ts"
import type { JsonObject } from "../../support/json.ts"
import { checkVariables } from "../variable-schema.ts"
import { type Draft, endJob, findOpen, isDecided, record } from "./draft.ts"
import type { OpenStep } from "./instance.ts"
import { completeStep, failStep } from "./leave-step.ts"
import type { EndedAttempt, LeaseRecord } from "./plan.ts"
import { retryDelayMs } from "./retry-delay.ts"

/** The live job as it stands under lock when it is reported on. */
export interface JobFacts {
  readonly execution: number
  readonly retriesLeft: number
  readonly lostLeases: number
  readonly lease: LeaseRecord
}

export interface Failure {
  readonly message: string
  readonly retryable: boolean
  /** The worker's own wish; it wins over the policy. */
  readonly retryAfterMs?: number | undefined
  readonly outcome?: "failed" | "timed-out"
}

// Several reports on one job may share a draft: the first counts, the others change nothing.

export function planJobCompleted(draft: Draft, job: JobFacts, delta: JsonObject | undefined, actor: string): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const step = draft.definition.step(open.stepId)
  const schema = "outputSchema" in step ? step.outputSchema : undefined
  const violations = schema ? checkVariables(schema, delta ?? {}, "$.variables") : []
  endJob(draft, job.execution)
  if (violations.length > 0) {
    const reason = `output of ${step.id} does not fit its schema: ${violations.map((v) => `${v.path} ${v.message}`).join("; ")}`
    record(draft, "JOB_FAILED", actor, { stepId: open.stepId, reason })
    return failStep(draft, open, reason, { ...job.lease, verb: "complete" })
  }
  record(draft, "JOB_COMPLETED", actor, { stepId: open.stepId })
  completeStep(draft, open, delta, { ...job.lease, verb: "complete" })
}

export function planJobFailed(draft: Draft, job: JobFacts, failure: Failure, actor: string): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const reason = failure.message || "the worker gave no reason"
  if (!failure.retryable || job.retriesLeft === 0) {
    endJob(draft, job.execution)
    record(draft, "JOB_FAILED", actor, { stepId: open.stepId, reason })
    return failStep(draft, open, reason, { ...job.lease, verb: "fail" })
  }
  const delayMs = failure.retryAfterMs ?? retryDelayMs(policyOf(draft, open), job.retriesLeft, draft.context.random)
  const retriesLeft = job.retriesLeft - 1
  draft.requeuedJobs.push({ ...requeue(job), delayMs, retriesLeft, keepsToken: false })
  draft.endedAttempts.push(attempt(job, failure.outcome ?? "failed", reason))
  record(draft, "JOB_RETRIED", actor, { stepId: open.stepId, error: reason, retriesLeft, delayMs })
}

/** The worker went away. Not a retry: it is counted apart, and a job that keeps losing its workers is a poison pill (S9). */
export function planLeaseLost(draft: Draft, job: JobFacts): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const lostLeases = job.lostLeases + 1
  const workerId = job.lease.workerId ?? ""
  record(draft, "LEASE_EXPIRED", "engine", { stepId: open.stepId, workerId, lostLeases })
  draft.endedAttempts.push(attempt(job, "lost", "heartbeat timeout"))
  if (lostLeases <= draft.context.maxLostLeases) {
    draft.requeuedJobs.push({ ...requeue(job), delayMs: 0, lostLeases, keepsToken: true })
    return
  }
  const reason = `poison pill: ${lostLeases} workers were lost while they held this job (worker_lost)`
  endJob(draft, job.execution)
  record(draft, "JOB_FAILED", "engine", { stepId: open.stepId, reason })
  failStep(draft, open, reason)
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
