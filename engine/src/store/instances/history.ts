// Typed access to finished step executions and ended attempts.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { StepType } from "../../model/definitions/definition.ts"
import type { AttemptDetail, ClosedStep, EndedAttempt } from "../../model/instances/plan.ts"
import type { ClosedStepStatus } from "../../model/instances/step-machine.ts"
import type { RememberedLease } from "../../model/jobs/reports.ts"
import type { ExecutionKey } from "../../support/ids.ts"
import type { JobKey } from "../../support/job-key.ts"
import { toColumns } from "../jobs/job-columns.ts"

const sql = statements(import.meta.url, "history", [
  "insertHistory",
  "insertAttempts",
  "listHistory",
  "listAttempts",
  "listReports",
  "listLostLeases",
])

export interface HistoryEntry {
  readonly instanceId: string
  readonly endedAt: number
  readonly step: ClosedStep
}

export function insertHistory(tx: Transaction, entries: readonly HistoryEntry[]): void {
  tx.write(sql.insertHistory, {
    entries: entries.map((e) => ({
      instance_id: e.instanceId,
      execution: e.step.execution,
      step_id: e.step.stepId,
      step_type: e.step.stepType,
      attempt: e.step.attempt,
      status: e.step.status,
      started_at: timestamp(e.step.startedAt),
      ended_at: timestamp(e.endedAt),
      failure_reason: e.step.failureReason ?? null,
      delta: e.step.delta ? JSON.stringify(e.step.delta) : null,
      seq: e.step.seq,
      seen_version: e.step.report?.seenVersion ?? null,
      epoch: e.step.report?.epoch ?? null,
      nonce: e.step.report?.nonce ?? null,
      worker_id: e.step.report?.workerId ?? null,
      verb: e.step.report?.verb ?? null,
      detail: toDetail(e.step.report?.detail),
    })),
  })
}

export interface AttemptEntry extends Omit<EndedAttempt, "execution" | "lease"> {
  readonly key: JobKey
  readonly lease: RememberedLease
  readonly endedAt: number
}

export function insertAttempts(tx: Transaction, entries: readonly AttemptEntry[]): void {
  tx.write(sql.insertAttempts, {
    entries: entries.map((e) => ({
      ...toColumns(e.key),
      epoch: e.lease.epoch,
      outcome: e.outcome,
      nonce: e.lease.nonce,
      worker_id: e.lease.workerId,
      error: e.error,
      ended_at: timestamp(e.endedAt),
      step: e.step ?? null,
      detail: toDetail(e.detail),
    })),
  })
}

function toDetail(detail: AttemptDetail | undefined): string | null {
  const text = JSON.stringify(detail ?? {})
  return text === "{}" ? null : text
}

export interface HistoryRow extends Record<string, unknown> {
  readonly execution: number
  readonly step_id: string
  readonly step_type: StepType
  readonly attempt: number
  readonly status: ClosedStepStatus
  readonly started_at: number
  readonly ended_at: number
  readonly failure_reason: string | null
  readonly delta: string | null
  readonly seq: number
  readonly seen_version: number | null
  readonly worker_id: string | null
  readonly detail: string | null
}

export const listHistory = (db: Database, instanceId: string): Promise<HistoryRow[]> =>
  db.query(sql.listHistory, { instanceId })

export interface AttemptRow extends Record<string, unknown> {
  readonly execution: number
  readonly epoch: number
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly worker_id: string | null
  readonly error: string
  readonly ended_at: number
  /** For a run: the step at which the attempt ended, or null where that is not known. */
  readonly step: string | null
  readonly detail: string | null
}

/** The attempts that went wrong, newest first. */
export const listAttempts = (db: Database, instanceId: string, limit: number): Promise<AttemptRow[]> =>
  db.query(sql.listAttempts, { instanceId, limit })

/** What is kept of reports on a job: the one that ended it, and the attempt of the given (or last) epoch. */
export interface ReportRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly status: ClosedStepStatus | null
  readonly verb: "complete" | "fail" | null
  readonly epoch: number | null
  readonly nonce: string | null
  readonly worker_id: string | null
  readonly attempt_epoch: number | null
  readonly attempt_outcome: string | null
  readonly attempt_nonce: string | null
  readonly attempt_worker_id: string | null
}

export const listReports = (
  db: Database,
  jobs: readonly { readonly key: JobKey; readonly epoch: number | null }[],
): Promise<ReportRow[]> =>
  db.query(sql.listReports, {
    jobs: jobs.map((job) => ({ ...toColumns(job.key), epoch: job.epoch })),
  })

export interface LostLeaseRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly epoch: number
  readonly nonce: string | null
  readonly worker_id: string
  /** No later delivery to this worker has ended. */
  readonly is_last: boolean
}

/** Deliveries that these workers have lost without a word about them; none for a worker that never held the job. */
export const listLostLeases = (
  tx: Transaction,
  reports: readonly (ExecutionKey & { readonly workerId: string })[],
): Promise<readonly LostLeaseRow[]> =>
  tx.read<LostLeaseRow>(sql.listLostLeases, {
    reports: reports.map(({ instanceId, execution, workerId }) => ({
      instance_id: instanceId,
      execution,
      worker_id: workerId,
    })),
  })
