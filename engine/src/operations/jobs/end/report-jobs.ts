// Reports of workers: complete or fail a job. Exactly one report per delivery counts; repeats of it are told the same again.

import type { Transaction } from "../../../db/transaction.ts"
import { type Draft, isDecided } from "../../../model/instances/draft.ts"
import type { RunStep } from "../../../model/instances/plan.ts"
import {
  type JobFacts,
  type Parking,
  planJobCompleted,
  planJobFailed,
  planJobParked,
} from "../../../model/instances/plan-after-job.ts"
import { type Claimant, holds } from "../../../model/jobs/reports.ts"
import { listReports, type ReportRow } from "../../../store/instances/history.ts"
import type { LockedJobRow } from "../../../store/jobs/jobs.ts"
import { findJob } from "../../../store/jobs/jobs.ts"
import { assert } from "../../../support/assert.ts"
import { EngineError } from "../../../support/errors.ts"
import { parseJobId } from "../../../support/ids.ts"
import type { JsonObject } from "../../../support/json.ts"
import { isPushback, type Pushback, slowDown } from "../../flow/slow-down.ts"
import { type AdvanceItem, advance, advanceWithin, NOT_LIVE } from "../../instances/advance.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { StepTransaction } from "../../runs/step-transaction.ts"
import { completions, failures } from "./report-standalone.ts"

export type ReportOutcome = "accepted" | "stale" | "unknown"

interface ReportBase extends Claimant {
  readonly jobId: string
  /** Who reports, for the audit trail. */
  readonly actor: string
}

export interface Completion extends ReportBase {
  readonly verb: "complete"
  readonly variables: JsonObject | undefined
  readonly steps?: readonly RunStep[]
  readonly size?: number
}

export interface Failure extends ReportBase {
  readonly verb: "fail"
  readonly retryable: boolean
  readonly message: string
  readonly retryAfterMs: number | undefined
  readonly backoff?: ((retriesBefore: number) => number) | undefined
  readonly isUnlimited?: boolean
  readonly wakeOn?: string | undefined
  readonly steps?: readonly RunStep[]
  /** What the attempt learned of the system it called. */
  readonly pushback?: Pushback | undefined
}

/** A run of a step list has come to a step that waits. */
export interface Pause extends ReportBase, Parking {
  readonly verb: "park"
}

export type Report = Completion | Failure | Pause

type Key = NonNullable<ReturnType<typeof parseJobId>>

export async function reportJob(kernel: Kernel, report: Report): Promise<ReportOutcome> {
  const key = parseJobId(report.jobId)
  if (!key) return "unknown"
  if (report.verb === "fail" && report.pushback && isPushback(report.pushback))
    await slowDown(kernel, [{ ...key, closedMs: report.pushback.retryAfterMs ?? 0 }])
  const outcome =
    key.execution === 0 ? await reportStandalone(kernel, key, report) : await advance(kernel, itemOf(key, report))
  return outcome === "accepted" ? outcome : judgeLate(kernel, key, report, outcome === NOT_LIVE)
}

/** A standalone job has no instance to advance. */
function reportStandalone(kernel: Kernel, { instanceId: id }: Key, report: Report): Promise<"accepted" | "not-holder"> {
  assert(report.verb !== "park", "a standalone job has no step to wait at")
  return report.verb === "complete"
    ? completions(kernel).submit({ id, report })
    : failures(kernel).submit({ id, report })
}

/** Together with what a step wrote: a report that does not count is thrown, and everything is rolled back. */
export async function reportWithin(kernel: Kernel, tx: Transaction, report: Report): Promise<void> {
  const key = parseJobId(report.jobId)
  const outcome = key && key.execution > 0 && (await advanceWithin(kernel, tx, itemOf(key, report)))
  if (outcome !== "accepted") throw new EngineError("lease-lost", `the lease of job ${report.jobId} is lost`)
}

/** In the transaction that the steps of a run have written in. */
export async function reportInStep(kernel: Kernel, tx: StepTransaction, report: Report): Promise<void> {
  await tx.within(kernel.db, (own) => reportWithin(kernel, own, report))
}

const itemOf = (key: Key, report: Report): AdvanceItem<"accepted" | "not-holder"> => ({
  ...key,
  size: sizeOf(report),
  decide: (draft, { job }) => {
    // A report of the same batch came first: what this one is told is judged by what that one left.
    if (!job || isDecided(draft, job.execution) || !holds(report, leaseOf(job))) return "not-holder"
    planReport(draft, job, report)
    return "accepted"
  },
})

export const reportJobs = (kernel: Kernel, reports: readonly Report[]): Promise<ReportOutcome[]> =>
  Promise.all(reports.map((report) => reportJob(kernel, report)))

const sizeOf = (report: Report): number =>
  (report.verb === "complete" ? report.size : report.verb === "fail" ? report.message.length : 0) ?? 0

function planReport(draft: Draft, job: LockedJobRow, report: Report): void {
  const facts = factsOf(job)
  if (report.verb === "park") return planJobParked(draft, facts, report, report.actor)
  if (report.verb === "fail") return planJobFailed(draft, facts, report, report.actor)
  planJobCompleted(draft, facts, { delta: report.variables, steps: report.steps }, report.actor)
}

export const factsOf = (job: LockedJobRow): JobFacts => ({
  execution: job.execution,
  retriesLeft: job.retries_left,
  lostLeases: job.lost_leases,
  lease: { ...leaseOf(job), seenVersion: job.seen_version },
})

const leaseOf = (job: LockedJobRow) => ({ epoch: job.epoch, nonce: job.nonce, workerId: job.worker_id })

/** A report that changed nothing: the repeat of an accepted one, too late, or about a job nobody knows. */
async function judgeLate(kernel: Kernel, key: Key, report: Report, finished: boolean): Promise<ReportOutcome> {
  const epoch = report.token?.epoch ?? null
  const [row] = await listReports(kernel.db, [{ ...key, epoch }])
  if (row && repeats(report, row)) return "accepted"
  const known = row?.status != null || row?.attempt_outcome != null
  return known || (!finished && (await findJob(kernel.db, key))) ? "stale" : "unknown"
}

function repeats(report: Report, row: ReportRow): boolean {
  const ended = { epoch: row.epoch, nonce: row.nonce, workerId: row.worker_id }
  if (holds(report, ended)) return row.verb === report.verb
  const attempt = { epoch: row.attempt_epoch, nonce: row.attempt_nonce, workerId: row.attempt_worker_id }
  // The job was retried: a final failure is not what was accepted, and must not be told that it counted.
  return report.verb === "fail" && report.retryable && row.attempt_outcome === "failed" && holds(report, attempt)
}
