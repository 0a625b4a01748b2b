// A step that a run has behind it is recorded under the run's lease: who has lost the lease learns it here, before the next step.
import type { Outcome } from "../../db/batcher.ts"
import type { RunStep } from "../../model/instances/plan.ts"
import type { HeldLease } from "../../store/jobs/jobs.ts"
import {
  type LeasedRunStep,
  listRunSteps,
  type RecordedStepRow,
  recordSteps,
  recordStepsWithin,
} from "../../store/runs/run-steps.ts"
import { takeSignal as takeRow } from "../../store/runs/signals.ts"
import { EngineError } from "../../support/errors.ts"
import type { JsonValue } from "../../support/json.ts"
import type { Context } from "../kernel/context.ts"
import type { StepTransaction } from "./step-transaction.ts"

export type { HeldLease } from "../../store/jobs/jobs.ts"
export type { RecordedStepRow as RecordedStep } from "../../store/runs/run-steps.ts"

export async function recordStep(ctx: Context, lease: HeldLease, step: RunStep): Promise<void> {
  const recorded = await ctx.records.submit({ ...lease, step })
  if (!recorded) throw leaseLost(lease)
}

/** In the transaction in which the step wrote. */
export async function recordStepWithin(
  ctx: Context,
  tx: StepTransaction,
  lease: HeldLease,
  step: RunStep,
): Promise<void> {
  const [recorded] = await tx.within(ctx.db, (own) => recordStepsWithin(own, [{ ...lease, step }]))
  if (!recorded) throw leaseLost(lease)
}

/** Steps of many runs are one statement. */
export async function recordBatch(ctx: Context, items: readonly LeasedRunStep[]): Promise<readonly Outcome<boolean>[]> {
  ctx.metrics.batchSize.observe({ operation: "record" }, items.length)
  const recorded = await recordSteps(ctx.db, items)
  return recorded.map((value) => ({ value }))
}

export interface WantedSignal {
  readonly name: string
  /** The step that takes it; recorded with what it got. */
  readonly step: string
  readonly listVersion: number
}

/** The payload of the oldest signal of that name that is still to be had, or undefined. */
export async function takeSignal(ctx: Context, lease: HeldLease, wanted: WantedSignal): Promise<JsonValue | undefined> {
  const { held, payload } = await takeRow(ctx.db, { ...lease, ...wanted, startedAt: ctx.clock.nowMs() })
  if (!held) throw leaseLost(lease)
  return payload
}

/** What the run has behind it, by name. */
export async function readRun(ctx: Context, instanceId: string): Promise<ReadonlyMap<string, RecordedStepRow>> {
  const rows = await listRunSteps(ctx.db, instanceId)
  return new Map(rows.map((row) => [row.name, row]))
}

export const leaseLost = ({ instanceId }: HeldLease) =>
  new EngineError("lease-lost", `the lease of run ${instanceId} is lost: another worker may have it`)
