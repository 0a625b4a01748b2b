// Judges reports: under the lock, whether one comes from the holder of the job; afterwards, what one that changed nothing is told.

import { type Claimant, holds, type RememberedEnds, repeats } from "../../../model/jobs/reports.ts"
import { listReports, type ReportRow } from "../../../store/instances/history.ts"
import { findJob } from "../../../store/jobs/jobs.ts"
import type { JobKey } from "../../../support/job-key.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Report, ReportOutcome } from "./report.ts"

interface LeaseRow {
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string | null
}

export const leaseOf = (row: LeaseRow) => ({ epoch: row.epoch, nonce: row.nonce, workerId: row.worker_id })

/** By the job's row under lock. */
export const isHolder = (claimant: Claimant, row: LeaseRow): boolean => holds(claimant, leaseOf(row))

interface LateReport {
  readonly key: JobKey
  readonly report: Report
  /** Its instance is known to have ended, and all its jobs with it. */
  readonly isFinished: boolean
}

/** A report that changed nothing: it repeats one that was accepted, comes too late, or is about a job that was never made. */
export async function judgeLate(kernel: Kernel, late: LateReport): Promise<ReportOutcome> {
  const judged = await judgeByRecord(kernel, late)
  if (judged !== undefined) return judged
  if (!late.isFinished && (await findJob(kernel.db, late.key))) return "stale"
  // The job may have ended between the two looks: its record is there since then.
  return (await judgeByRecord(kernel, late)) ?? "unknown"
}

/** Undefined where neither the job nor this attempt at it has ended. */
async function judgeByRecord(kernel: Kernel, { key, report }: LateReport): Promise<ReportOutcome | undefined> {
  const [row] = await listReports(kernel.db, [{ key, epoch: report.token?.epoch ?? null }])
  if (row && repeats(report, rememberedEnds(row))) return "accepted"
  return row?.status != null || row?.attempt_outcome != null ? "stale" : undefined
}

const rememberedEnds = (row: ReportRow): RememberedEnds => ({
  last: { epoch: row.epoch, nonce: row.nonce, workerId: row.worker_id, verb: row.verb },
  attempt: {
    epoch: row.attempt_epoch,
    nonce: row.attempt_nonce,
    workerId: row.attempt_worker_id,
    outcome: row.attempt_outcome,
  },
})
