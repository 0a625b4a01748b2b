// Reads the steps of a run as every door shows them: alike for a list, a function and a graph.
import type { InstanceState } from "../../model/instances/instance.ts"
import type { AttemptDetail, RunStepDetail } from "../../model/instances/plan.ts"
import type { AttemptFact, ClosedExecution, RecordedFact } from "../../model/observability/run-steps/run-facts.ts"
import type { RunStepView } from "../../model/observability/run-steps/run-step.ts"
import { currentSteps, tellSteps } from "../../model/observability/run-steps/tell-steps.ts"
import { type AttemptRow, type HistoryRow, listAttempts, listHistory } from "../../store/instances/history.ts"
import { listHolders } from "../../store/jobs/jobs.ts"
import { listRunSteps, type RecordedStepRow } from "../../store/runs/run-steps.ts"
import { definitionsOf, workedVersion } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { childrenOf } from "../runs/children-of.ts"
import { explainWaiting } from "./explain-waiting.ts"
import { getInstanceRow } from "./read-instances.ts"

export type { RunStepView } from "../../model/observability/run-steps/run-step.ts"

export interface RunStepsView {
  readonly form: "list" | "function" | "graph"
  /** The steps that it works on or waits at. */
  readonly currentSteps: readonly string[]
  readonly items: readonly RunStepView[]
}

/** The last of a run's attempts; one that is tried again and again for months has more. */
const ATTEMPTS_MAX = 1_000

export async function readSteps(kernel: Kernel, instanceId: string): Promise<RunStepsView> {
  const instance = await getInstanceRow(kernel.db, instanceId)
  const started = await definitionsOf(kernel).version(instance.definition_id, instance.definition_version)
  const hasEnded = instance.completed_at !== null
  const [closed, attempts, recorded, reasons, holders] = await Promise.all([
    listHistory(kernel.db, instanceId),
    listAttempts(kernel.db, instanceId, ATTEMPTS_MAX),
    started?.isList ? listRunSteps(kernel.db, instanceId) : [],
    hasEnded ? [] : explainWaiting(kernel, instanceId),
    hasEnded ? [] : listHolders(kernel.db, instanceId),
  ])
  const definition = started && (await workedVersion(kernel, started, recorded))
  const state = instance.state === null ? null : (JSON.parse(instance.state) as InstanceState)
  const items = tellSteps({
    instanceId,
    hasEnded,
    endedAt: instance.completed_at ?? undefined,
    definition,
    closed: closed.map(toClosed),
    open: state?.open ?? [],
    attempts: attempts.map(toAttempt).reverse(),
    recorded: recorded.map(toRecorded),
    reasons,
    holders: new Map(holders.map(({ execution, worker_id }) => [execution, worker_id])),
    children: await childrenOf(kernel, instanceId, recorded),
  })
  const form = definition?.isFunction ? "function" : definition?.isList ? "list" : "graph"
  return { form, currentSteps: currentSteps(items), items }
}

export const toClosed = (row: HistoryRow): ClosedExecution => ({
  execution: row.execution,
  stepId: row.step_id,
  stepType: row.step_type,
  attempt: row.attempt,
  status: row.status,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  failureReason: row.failure_reason,
  output: row.delta === null ? undefined : JSON.parse(row.delta),
  workerId: row.worker_id,
  detail: parseDetail<AttemptDetail>(row.detail),
})

const toAttempt = (row: AttemptRow): AttemptFact => ({
  execution: row.execution,
  attempt: row.epoch,
  outcome: row.outcome,
  error: row.error,
  endedAt: row.ended_at,
  workerId: row.worker_id,
  step: row.step,
  detail: parseDetail<AttemptDetail>(row.detail),
})

const toRecorded = (row: RecordedStepRow): RecordedFact => ({
  name: row.name,
  status: row.status,
  value: row.value === null ? null : JSON.parse(row.value),
  error: row.error,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  detail: parseDetail<RunStepDetail>(row.detail),
})

const parseDetail = <Detail>(text: string | null): Detail => JSON.parse(text ?? "{}") as Detail
