// What follows the end of an attempt at a step's job: the next step, another attempt, or failure.
import { assert } from "../../support/assert.ts"
import type { JsonObject } from "../../support/json.ts"
import type { Step } from "../definitions/definition.ts"
import { checkVariables } from "../definitions/variable-schema.ts"
import {
  type AttemptEnd,
  type AttemptFacts,
  type AttemptPolicy,
  afterAttempt,
  type Dead,
  type FailedEnd,
  type LeaseEnd,
  type Retry,
} from "../jobs/after-attempt.ts"
import { type Draft, endJob, findOpen, isDecided, record } from "./draft.ts"
import { skipAll } from "./finish.ts"
import type { OpenStep } from "./instance.ts"
import { completeStep, failStep } from "./leave-step.ts"
import type { AttemptDetail, EndedAttempt, LeaseRecord, ReportRecord, RunStep } from "./plan.ts"
import { sizeFault } from "./variable-sizes.ts"

/** The live job as it stands under lock when it is reported on. */
export interface JobFacts extends AttemptFacts {
  readonly execution: number
  readonly lease: LeaseRecord
  /** The lease is one that was lost before: the job may be another worker's by now. */
  readonly isLate?: boolean
}

export interface Completion {
  readonly delta: JsonObject | undefined
  /** Steps of a run that are recorded with its end. */
  readonly steps?: readonly RunStep[] | undefined
  readonly detail?: AttemptDetail | undefined
}

export interface Failure extends Omit<FailedEnd, "kind"> {
  /** An event with this linking id may bring the next attempt forward. */
  readonly wakeOn?: string | undefined
  /** Steps of a run that are to be done again. */
  readonly steps?: readonly RunStep[] | undefined
  /** The step of a run that failed. */
  readonly step?: string | undefined
  readonly detail?: AttemptDetail | undefined
}

// Several reports on one job may share a draft: the first counts, the others change nothing.

export function planJobCompleted(draft: Draft, job: JobFacts, completion: Completion, actor: string): void {
  const { delta, steps = [], detail } = completion
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  draft.runSteps.push(...steps)
  // A task that was not done in time: the run does not wait for it any more.
  if (draft.definition.isList)
    skipAll(
      draft,
      draft.open.filter((other) => other !== open),
    )
  const fault = outputFault(draft.definition.step(open.stepId), delta) ?? tooLargeFault(draft, open, delta)
  const end = fault === undefined ? COMPLETED : ({ kind: "failed", message: fault, retryable: false } as const)
  planAfterAttempt(draft, job, { open, end, actor, report: { ...job.lease, verb: "complete", detail }, delta })
}

const COMPLETED = { kind: "completed" } as const

function outputFault(step: Step, delta: JsonObject | undefined): string | undefined {
  const schema = "outputSchema" in step ? step.outputSchema : undefined
  const violations = schema ? checkVariables(schema, delta ?? {}, "$.variables") : []
  if (violations.length === 0) return undefined
  return `output of ${step.id} does not fit its schema: ${violations.map((v) => `${v.path} ${v.message}`).join("; ")}`
}

function tooLargeFault(draft: Draft, { stepId }: OpenStep, delta: JsonObject | undefined): string | undefined {
  const fault = delta && sizeFault(draft, delta)
  return fault === undefined ? undefined : `the result of ${stepId} is too large: ${fault}`
}

export function planJobFailed(draft: Draft, job: JobFacts, failure: Failure, actor: string): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const { steps = [], wakeOn, step, detail } = failure
  draft.runSteps.push(...steps)
  const report = { ...job.lease, verb: "fail", detail: { step, ...detail } } as const
  // A late failure takes nothing from the worker that has the job by now: its attempt is the retry, also where none was left.
  const isUnlimited = failure.isUnlimited || job.isLate
  planAfterAttempt(draft, job, { open, end: { ...failure, isUnlimited, kind: "failed" }, actor, report, wakeOn, step })
}

/** No report came: the engine has ended the attempt. What is known of it is when it was handed out. */
export function planLeaseEnded(draft: Draft, job: JobFacts, end: LeaseEnd, detail: AttemptDetail = {}): void {
  if (isDecided(draft, job.execution)) return
  const report = end.kind === "lost" ? undefined : { ...job.lease, verb: null, detail }
  planAfterAttempt(draft, job, { open: openOf(draft, job), end, actor: "engine", report, detail })
}

interface EndedAs {
  readonly open: OpenStep
  readonly end: AttemptEnd
  readonly actor: string
  readonly report: ReportRecord | undefined
  readonly delta?: JsonObject | undefined
  readonly wakeOn?: string | undefined
  readonly step?: string | undefined
  /** What is recorded about the attempt of a lost worker, which reported nothing. */
  readonly detail?: AttemptDetail | undefined
}

function planAfterAttempt(draft: Draft, job: JobFacts, ended: EndedAs): void {
  const { open, end, actor, report } = ended
  const after = afterAttempt(job, end, policyOf(draft, open))
  if (after.kind === "done") {
    endJob(draft, job.execution)
    record(draft, "JOB_COMPLETED", actor, { stepId: open.stepId })
    return completeStep(draft, open, ended.delta, report)
  }
  if (end.kind === "lost") recordLost(draft, job, { open, after, detail: ended.detail })
  if (after.kind === "retry") retryJob(draft, job, { ...ended, after })
  else failJob(draft, job, { ...ended, after })
}

interface Lost {
  readonly open: OpenStep
  readonly after: Retry | Dead
  readonly detail: AttemptDetail | undefined
}

function recordLost(draft: Draft, job: JobFacts, { open: { stepId }, after, detail }: Lost): void {
  const { lostLeases, attempt } = after
  record(draft, "LEASE_EXPIRED", "engine", { stepId, workerId: job.lease.workerId ?? "", lostLeases })
  draft.endedAttempts.push({ ...endedAttempt(job, attempt.outcome, attempt.error), detail })
}

function retryJob(draft: Draft, job: JobFacts, ended: EndedAs & { readonly after: Retry }): void {
  const { open, end, actor, wakeOn, step, after, report } = ended
  const { attempt, delayMs, retriesLeft, lostLeases, keepsToken } = after
  const { outcome, error } = attempt
  const { execution } = job
  // The attempt that came after the lost one is the retry, whether it is running or waits to be.
  if (job.isLate) draft.spentRetries.push({ execution, retriesLeft })
  else draft.requeuedJobs.push({ execution, delayMs, retriesLeft, lostLeases, keepsToken, reason: error })
  if (end.kind === "lost") return
  draft.endedAttempts.push({ ...endedAttempt(job, outcome, error), step, detail: report?.detail })
  draft.linkingId = wakeOn
  const at = step === undefined ? {} : { at: step }
  record(draft, "JOB_RETRIED", actor, { stepId: open.stepId, ...at, error, retriesLeft, delayMs })
}

/** The step fails with its job. Where the instance fails by it, the job is a dead letter: the one that a replay begins with. */
function failJob(draft: Draft, job: JobFacts, ended: EndedAs & { readonly after: Dead }): void {
  const { open, actor, report, after } = ended
  const { reason, error, retries } = after
  endJob(draft, job.execution)
  record(draft, "JOB_FAILED", actor, { stepId: open.stepId, reason: error })
  failStep(draft, open, error, { report, retries })
  if (draft.cut?.some((step) => step.failed && step.stepId === open.stepId && step.attempt === open.attempt))
    draft.deadJob = { execution: job.execution, reason, error, retryCount: retries }
}

export function openOf(draft: Draft, job: JobFacts): OpenStep {
  const open = findOpen(draft, job.execution)
  assert(open, `a live job belongs to an open step (execution ${job.execution})`)
  return open
}

export function policyOf(draft: Draft, open: OpenStep): AttemptPolicy {
  const step = draft.definition.step(open.stepId)
  assert(step.type === "SERVICE_TASK", "only service tasks have jobs")
  const { random, maxLostLeases } = draft.context
  return { retry: draft.definition.retryPolicy(step), random, maxLostLeases }
}

export const endedAttempt = (job: JobFacts, outcome: EndedAttempt["outcome"], error: string): EndedAttempt => ({
  execution: job.execution,
  outcome,
  error,
  lease: job.lease,
})
