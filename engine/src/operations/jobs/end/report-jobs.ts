// Reports of workers: complete or fail a job. Exactly one report per delivery counts; a repeated report gets the same answer.

import { type Outcome, promiseOf, type Settle } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { type Draft, isDecided } from "../../../model/instances/draft.ts"
import { type JobFacts, planJobCompleted, planJobFailed } from "../../../model/instances/plan-after-job.ts"
import { planJobParked } from "../../../model/instances/plan-parking.ts"
import { textBytes, writeFault } from "../../../model/instances/variable-sizes.ts"
import { maySpeakLate } from "../../../model/jobs/reports.ts"
import type { LostLeaseRow } from "../../../store/instances/history.ts"
import type { LockedJobRow } from "../../../store/jobs/jobs.ts"
import { assert } from "../../../support/assert.ts"
import { EngineError } from "../../../support/errors.ts"
import type { ExecutionKey } from "../../../support/ids.ts"
import { type JobKey, parseJobId } from "../../../support/job-key.ts"
import { isPushback, slowDown } from "../../flow/slow-down.ts"
import { type AdvanceItem, advance, advanceWithin, NOT_LIVE, submitAdvances } from "../../instances/advance.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { StepTransaction } from "../../runs/step-transaction.ts"
import { mayBeEarlier } from "../dispatch/earlier-dispatch.ts"
import { completions, type StandaloneCompletion } from "./complete-standalone.ts"
import { failures } from "./fail-standalone.ts"
import { isHolder, judgeLate, leaseOf } from "./judge-report.ts"
import type { Completion, Report, ReportOutcome } from "./report.ts"

export const reportJob = (kernel: Kernel, report: Report): Promise<ReportOutcome> =>
  promiseOf((told) => reportEach(kernel, [report], told))

export const reportJobs = (kernel: Kernel, reports: readonly Report[]): Promise<ReportOutcome[]> =>
  Promise.all(reports.map((report) => reportJob(kernel, report)))

type StepKey = Extract<JobKey, { kind: "step" }>

/** A report on its way: its place in the list of its caller, and the job that it is about. */
interface Sent<Key extends JobKey, Of extends Report = Report> {
  readonly at: number
  readonly key: Key
  readonly report: Of
}

/** Each is told for itself, as soon as it is decided. Those of steps, and completions of standalone jobs, are submitted as lists. */
export function reportEach(kernel: Kernel, reports: readonly Report[], told: Settle<ReportOutcome>): void {
  const steps: Sent<StepKey>[] = []
  const completed: (Sent<JobKey, Completion> & StandaloneCompletion)[] = []
  for (const [at, given] of reports.entries()) {
    const key = parseJobId(given.jobId)
    if (key?.kind === "step" && given.verb !== "fail") {
      steps.push({ at, key, report: given })
      continue
    }
    const result = key?.kind === "standalone" && given.verb === "complete" ? resultOf(given) : undefined
    const report = result ? failIfTooLarge(kernel, given, result) : given
    if (!key || result === undefined || report.verb !== "complete") tell(reportOther(kernel, key, report), at, told)
    else completed.push({ at, key, report, id: report.jobId, result })
  }
  const answer =
    (sent: readonly Sent<JobKey>[]): Settle<Verdict> =>
    (n, verdict) =>
      answerOne(kernel, sent[n] as Sent<JobKey>, { verdict, told })
  if (completed.length > 0) completions(kernel).submitEach(completed, answer(completed))
  if (steps.length > 0)
    submitAdvances(
      kernel,
      steps.map(({ key, report }) => itemOf(key, report)),
      answer(steps),
    )
}

type Verdict = "accepted" | "not-holder" | typeof NOT_LIVE

interface Heard {
  readonly verdict: Outcome<Verdict>
  readonly told: Settle<ReportOutcome>
}

function answerOne(kernel: Kernel, { at, key, report }: Sent<JobKey>, { verdict, told }: Heard): void {
  if ("error" in verdict) told(at, verdict)
  else if (verdict.value === "accepted") told(at, ACCEPTED)
  else tell(judgeLate(kernel, { key, report, isFinished: verdict.value === NOT_LIVE }), at, told)
}

const ACCEPTED: Outcome<ReportOutcome> = { value: "accepted" }

function tell(outcome: Promise<ReportOutcome>, at: number, told: Settle<ReportOutcome>): void {
  outcome.then(
    (value) => told(at, { value }),
    (error) => told(at, { error }),
  )
}

const resultOf = ({ variables }: Completion): string | null => (variables ? JSON.stringify(variables) : null)

async function reportOther(kernel: Kernel, key: JobKey | undefined, report: Report): Promise<ReportOutcome> {
  if (!key) return "unknown"
  if (report.verb === "fail" && report.pushback && isPushback(report.pushback))
    await slowDown(kernel, [{ key, closedMs: report.pushback.retryAfterMs ?? 0 }])
  if (report.verb === "fail" && !report.token && (await mayBeEarlier(kernel, key)))
    return judgeLate(kernel, { key, report, isFinished: false })
  const outcome =
    key.kind === "standalone"
      ? await reportStandalone(kernel, key.id, report)
      : await advance(kernel, itemOf(key, report))
  return outcome === "accepted" ? outcome : judgeLate(kernel, { key, report, isFinished: outcome === NOT_LIVE })
}

/** As with a step, a result that is too large fails the job for good: another attempt would bring the same. */
function failIfTooLarge({ settings }: Kernel, report: Report, result: string): Report {
  const fault = writeFault(textBytes(result), settings)
  if (fault === undefined) return report
  const { jobId, workerId, token, actor } = report
  return { jobId, workerId, token, actor, verb: "fail", retryable: false, message: `the result is too large: ${fault}` }
}

/** A standalone job has no instance to advance. */
function reportStandalone(kernel: Kernel, id: string, report: Report): Promise<"accepted" | "not-holder"> {
  assert(report.verb === "fail", "a standalone job has no step to wait at, and its completion is submitted in a list")
  return failures(kernel).submit({ id, report })
}

/** Together with what a step wrote: a report that does not count is thrown, and everything is rolled back. */
export async function reportWithin(kernel: Kernel, tx: Transaction, report: Report): Promise<void> {
  const key = parseJobId(report.jobId)
  const outcome = key?.kind === "step" && (await advanceWithin(kernel, tx, itemOf(key, report)))
  if (outcome !== "accepted") throw new EngineError("lease-lost", `the lease of job ${report.jobId} is lost`)
}

/** In the transaction that the steps of a run have written in. */
export async function reportInStep(kernel: Kernel, tx: StepTransaction, report: Report): Promise<void> {
  await tx.within(kernel.db, (own) => reportWithin(kernel, own, report))
}

const itemOf = ({ instanceId, execution }: ExecutionKey, report: Report): AdvanceItem<"accepted" | "not-holder"> => ({
  instanceId,
  execution,
  size: sizeOf(report),
  ...(report.token ? {} : { formerly: report.workerId }),
  decide: (draft, { job, lost }) => {
    // An earlier report of the same batch has decided about this job: the answer depends on the state after it.
    if (!job || isDecided(draft, job.execution)) return "not-holder"
    const facts = factsOf(job)
    if (isHolder(report, job)) planReport(draft, facts, report)
    else if (lost && maySpeakLate(report, { isLast: lost.is_last })) planReport(draft, lateFacts(facts, lost), report)
    else return "not-holder"
    return "accepted"
  },
})

const lateFacts = (facts: JobFacts, lost: LostLeaseRow): JobFacts => ({
  ...facts,
  lease: { ...leaseOf(lost), seenVersion: null },
  isLate: true,
})

function sizeOf(report: Report): number {
  if (report.verb === "fail") return report.message.length + (report.detail?.stack?.length ?? 0)
  return (report.verb === "complete" ? report.size : 0) ?? 0
}

function planReport(draft: Draft, job: JobFacts, report: Report): void {
  if (report.verb === "park") return planJobParked(draft, job, report, report.actor)
  if (report.verb === "fail") return planJobFailed(draft, job, report, report.actor)
  planJobCompleted(draft, job, { delta: report.variables, steps: report.steps, detail: report.detail }, report.actor)
}

export const factsOf = (job: LockedJobRow): JobFacts => ({
  execution: job.execution,
  retriesLeft: job.retries_left,
  lostLeases: job.lost_leases,
  lease: { ...leaseOf(job), seenVersion: job.seen_version },
})
