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
  areRecorded(steps, await db.query(sql.recordSteps, { steps: steps.map(toLeasedRow) }))

export const recordStepsWithin = async (
  tx: Transaction,
  steps: readonly LeasedRunStep[],
): Promise<readonly boolean[]> => areRecorded(steps, await tx.read(sql.recordSteps, { steps: steps.map(toLeasedRow) }))

const toLeasedRow = ({ instanceId, execution, epoch, nonce, step }: LeasedRunStep) => ({
  instance_id: instanceId,
  execution,
  epoch,
  nonce,
  ...toStep(step),
})

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
  const steps = rows.map(({ instanceId, step, endedAt }) => ({
    instance_id: instanceId,
    ...toStep(step),
    ended_at: timestamp(endedAt),
  }))
  tx.write(sql.insertRunSteps, { steps })
}

const toStep = ({ name, status, value, error, listVersion, startedAt }: RunStep) => ({
  name,
  status,
  value: value === undefined ? null : JSON.stringify(value),
  error: error ?? null,
  list_version: listVersion,
  started_at: timestamp(startedAt),
})

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
  db.query(sql.listRunSteps, { instanceId })

export interface FailedStepRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly name: string
  readonly error: string
  readonly ended_at: number
}

/** Best-effort steps that failed while their run went on, oldest run first. */
export const listFailedSteps = (db: Database, name: string, after: string, limit: number): Promise<FailedStepRow[]> =>
  db.query(sql.listFailedSteps, { name, after, limit })
