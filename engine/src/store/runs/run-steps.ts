// Typed access to the steps of runs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { RunStep, RunStepStatus } from "../../model/instances/plan.ts"
import type { HeldLease } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "run-steps", [
  "recordSteps",
  "insertRunSteps",
  "copyRunSteps",
  "listRunSteps",
  "countStepAttempts",
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

interface CopiedSteps {
  readonly from: string
  readonly to: string
  readonly names: readonly string[]
}

/** What one run has behind it, another has behind it too. */
export const copyRunSteps = (tx: Transaction, { from, to, names }: CopiedSteps): void =>
  tx.write(sql.copyRunSteps, { from, to, names })

const toStep = ({ name, status, value, error, listVersion, undo = false, startedAt, detail }: RunStep) => ({
  name,
  status,
  value: value === undefined ? null : JSON.stringify(value),
  error: error ?? null,
  list_version: listVersion,
  undo,
  started_at: timestamp(startedAt),
  detail: detail ? JSON.stringify(detail) : null,
})

export interface RecordedStepRow extends Record<string, unknown> {
  readonly name: string
  readonly status: RunStepStatus
  readonly value: string | null
  readonly error: string | null
  readonly list_version: number
  /** The worker that did it can undo it. */
  readonly undo: boolean
  readonly started_at: number
  readonly ended_at: number
  readonly detail: string | null
}

/** In the order in which they were recorded. */
export const listRunSteps = (reader: Reader, instanceId: string): Promise<RecordedStepRow[]> =>
  reader.read(sql.listRunSteps, { instanceId })

export interface StepAttemptsRow extends Record<string, unknown> {
  /** Null: of workers that were lost. */
  readonly step: string | null
  readonly attempts: number
  readonly failures: number
}

/** Counts the attempts of one job of a run. */
export const countStepAttempts = (
  db: Database,
  { instanceId, execution }: Pick<HeldLease, "instanceId" | "execution">,
): Promise<StepAttemptsRow[]> => db.query(sql.countStepAttempts, { instanceId, execution })

export interface FailedStepRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly name: string
  readonly error: string
  readonly ended_at: number
  /** Null where its instance is not there. */
  readonly matches: boolean | null
  /** The last that was looked at: there may be more. */
  readonly is_last: boolean
}

interface FailedSteps {
  readonly definitionId: string
  readonly name: string
  /** An instance id. */
  readonly after: string
  /** How many steps of this name are looked at. */
  readonly lookAt: number
  readonly limit: number
}

/** Best-effort steps of a workflow that failed while their run went on, oldest run first. */
export const listFailedSteps = (db: Database, steps: FailedSteps): Promise<FailedStepRow[]> =>
  db.query(sql.listFailedSteps, { ...steps })
