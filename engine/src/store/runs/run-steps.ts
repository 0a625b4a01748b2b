// Typed access to the steps of runs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { RunStep, RunStepStatus } from "../../model/instances/plan.ts"
import type { HeldLease } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "run-steps", [
  "recordSteps",
  "insertRunSteps",
  "listRunSteps",
  "listFailedSteps",
])

/** One step of a run and the lease under which it was done. */
export interface LeasedRunStep extends HeldLease {
  readonly step: RunStep
}

/** Returns, for each, whether its lease was good; only then it is recorded. */
export const recordSteps = async (db: Database, steps: readonly LeasedRunStep[]): Promise<readonly boolean[]> =>
  areRecorded(steps, await db.query(sql.recordSteps, leasedColumns(steps)))

export const recordStepsWithin = async (
  tx: Transaction,
  steps: readonly LeasedRunStep[],
): Promise<readonly boolean[]> => areRecorded(steps, await tx.read(sql.recordSteps, leasedColumns(steps)))

const leasedColumns = (steps: readonly LeasedRunStep[]) => [
  steps.map((s) => s.instanceId),
  steps.map((s) => s.execution),
  steps.map((s) => s.epoch),
  steps.map((s) => s.nonce),
  ...stepColumns(steps),
]

function areRecorded(
  steps: readonly LeasedRunStep[],
  rows: readonly { readonly place?: unknown }[],
): readonly boolean[] {
  const recorded = new Set(rows.map(({ place }) => place))
  return steps.map((_, index) => recorded.has(index + 1))
}

export interface RunStepRow {
  readonly instanceId: string
  readonly endedAt: number
  readonly step: RunStep
}

export function insertRunSteps(tx: Transaction, rows: readonly RunStepRow[]): void {
  tx.write(sql.insertRunSteps, [
    rows.map((row) => row.instanceId),
    ...stepColumns(rows),
    rows.map((row) => timestamp(row.endedAt)),
  ])
}

const stepColumns = (rows: readonly { readonly step: RunStep }[]) => [
  rows.map(({ step }) => step.name),
  rows.map(({ step }) => step.status),
  rows.map(({ step }) => (step.value === undefined ? null : JSON.stringify(step.value))),
  rows.map(({ step }) => step.error ?? null),
  rows.map(({ step }) => step.listVersion),
  rows.map(({ step }) => timestamp(step.startedAt)),
]

export interface RecordedStepRow extends Record<string, unknown> {
  readonly name: string
  readonly status: RunStepStatus
  readonly value: string | null
  readonly error: string | null
  readonly list_version: number
  readonly started_at: number
  readonly ended_at: number
}

export const listRunSteps = (db: Database, instanceId: string): Promise<RecordedStepRow[]> =>
  db.query(sql.listRunSteps, [instanceId])

export interface FailedStepRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly name: string
  readonly error: string
  readonly ended_at: number
}

/** Best-effort steps that failed while their run went on, oldest run first. */
export const listFailedSteps = (db: Database, name: string, after: string, limit: number): Promise<FailedStepRow[]> =>
  db.query(sql.listFailedSteps, [name, after, limit])
