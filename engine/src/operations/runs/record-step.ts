// A step that a run has behind it is recorded under the run's lease: a worker that has lost the lease learns it here, before the next step.

import type { Outcome } from "../../db/batcher.ts"
import type { RunStep, RunStepDetail } from "../../model/instances/plan.ts"
import type { AttemptsAtStep } from "../../model/jobs/step-attempts.ts"
import type { HeldLease } from "../../store/jobs/jobs.ts"
import {
  countStepAttempts,
  type LeasedRunStep,
  listRunSteps,
  type RecordedStepRow,
  recordSteps,
  recordStepsWithin,
} from "../../store/runs/run-steps.ts"
import { takeSignal as takeRow } from "../../store/runs/signals.ts"
import { EngineError } from "../../support/errors.ts"
import type { JsonValue } from "../../support/json.ts"
import { batched } from "../kernel/batch.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { StepTransaction } from "./step-transaction.ts"

export type { HeldLease } from "../../store/jobs/jobs.ts"
export type { RecordedStepRow as RecordedStep } from "../../store/runs/run-steps.ts"

export async function recordStep(kernel: Kernel, lease: HeldLease, step: RunStep): Promise<void> {
  const recorded = await records(kernel).submit({ ...lease, step })
  if (!recorded) throw leaseLost(lease)
}

/** In the transaction in which the step wrote. */
export async function recordStepWithin(
  kernel: Kernel,
  tx: StepTransaction,
  lease: HeldLease,
  step: RunStep,
): Promise<void> {
  const [recorded] = await tx.within(kernel.db, (own) => recordStepsWithin(own, [{ ...lease, step }]))
  if (!recorded) throw leaseLost(lease)
}

/** Steps of many runs are one statement. */
async function recordBatch(kernel: Kernel, items: readonly LeasedRunStep[]): Promise<readonly Outcome<boolean>[]> {
  kernel.metrics.batchSize.observe({ operation: "record" }, items.length)
  const recorded = await recordSteps(kernel.db, items)
  return recorded.map((value) => ({ value }))
}

export interface WantedSignal {
  readonly name: string
  /** The step that takes it; recorded with what it got. */
  readonly step: string
  readonly listVersion: number
  readonly detail: RunStepDetail | undefined
}

/** The payload of the oldest signal of that name that is still to be had, or undefined. */
export async function takeSignal(
  kernel: Kernel,
  lease: HeldLease,
  wanted: WantedSignal,
): Promise<JsonValue | undefined> {
  const { held, payload } = await takeRow(kernel.db, { ...lease, ...wanted, startedAt: kernel.clock.nowMs() })
  if (!held) throw leaseLost(lease)
  return payload
}

/** What the run has behind it, by name. */
export async function readRun(kernel: Kernel, instanceId: string): Promise<ReadonlyMap<string, RecordedStepRow>> {
  const rows = await listRunSteps(kernel.db, instanceId)
  return new Map(rows.map((row) => [row.name, row]))
}

/** The attempts at this run before the one that has the lease, by the step that each ended at. */
export const readAttempts = (kernel: Kernel, lease: HeldLease): Promise<readonly AttemptsAtStep[]> =>
  countStepAttempts(kernel.db, lease)

export const leaseLost = ({ instanceId }: HeldLease) =>
  new EngineError("lease-lost", `the lease of run ${instanceId} is lost: another worker may have it`)

const records = batched<LeasedRunStep, boolean>({
  run: recordBatch,
  flights: 2,
  keyOf: ({ instanceId }) => instanceId,
})
