// Typed access to finished step executions and ended attempts.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { StepType } from "../../model/definitions/definition.ts"
import type { ClosedStep, EndedAttempt } from "../../model/instances/plan.ts"
import type { ClosedStepStatus } from "../../model/instances/step-machine.ts"
import type { JobKey } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "history", [
  "insertHistory",
  "insertAttempts",
  "listHistory",
  "listAttempts",
  "listReports",
])

export interface HistoryEntry {
  readonly instanceId: string
  readonly endedAt: number
  readonly step: ClosedStep
}

export function insertHistory(tx: Transaction, entries: readonly HistoryEntry[]): void {
  tx.write(sql.insertHistory, [
    entries.map((e) => e.instanceId),
    entries.map((e) => e.step.execution),
    entries.map((e) => e.step.stepId),
    entries.map((e) => e.step.stepType),
    entries.map((e) => e.step.attempt),
    entries.map((e) => e.step.status),
    entries.map((e) => timestamp(e.step.startedAt)),
    entries.map((e) => timestamp(e.endedAt)),
    entries.map((e) => e.step.failureReason ?? null),
    entries.map((e) => (e.step.delta ? JSON.stringify(e.step.delta) : null)),
    entries.map((e) => e.step.seq),
    entries.map((e) => e.step.report?.seenVersion ?? null),
    entries.map((e) => e.step.report?.epoch ?? null),
    entries.map((e) => e.step.report?.nonce ?? null),
    entries.map((e) => e.step.report?.workerId ?? null),
    entries.map((e) => e.step.report?.verb ?? null),
  ])
}

export interface AttemptEntry {
  readonly instanceId: string
  readonly endedAt: number
  readonly attempt: EndedAttempt
}

export function insertAttempts(tx: Transaction, entries: readonly AttemptEntry[]): void {
  tx.write(sql.insertAttempts, [
    entries.map((e) => e.instanceId),
    entries.map((e) => e.attempt.execution),
    entries.map((e) => e.attempt.lease.epoch),
    entries.map((e) => e.attempt.outcome),
    entries.map((e) => e.attempt.lease.nonce),
    entries.map((e) => e.attempt.lease.workerId),
    entries.map((e) => e.attempt.error),
    entries.map((e) => timestamp(e.endedAt)),
  ])
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
}

export const listHistory = (db: Database, instanceId: string): Promise<HistoryRow[]> =>
  db.query(sql.listHistory, [instanceId])

export interface AttemptRow extends Record<string, unknown> {
  readonly execution: number
  readonly epoch: number
  readonly outcome: "failed" | "timed-out" | "lost"
  readonly worker_id: string | null
  readonly error: string
  readonly ended_at: number
}

/** Those that went wrong, newest first. */
export const listAttempts = (db: Database, instanceId: string, limit: number): Promise<AttemptRow[]> =>
  db.query(sql.listAttempts, [instanceId, limit])

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
  jobs: readonly (JobKey & { readonly epoch: number | null })[],
): Promise<ReportRow[]> =>
  db.query(sql.listReports, [
    jobs.map((job) => job.instanceId),
    jobs.map((job) => job.execution),
    jobs.map((job) => job.epoch),
  ])
