// Reads the history of an instance: each entry into a step, the worker that ended it, and the attempts before.

import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import type { StepType } from "../../model/definitions/definition.ts"
import type { InstanceState, OpenStep } from "../../model/instances/instance.ts"
import type { StepStatus } from "../../model/instances/step-machine.ts"
import { elementsOf } from "../../model/observability/run-steps/list-order.ts"
import { type FailedStep, failedStep } from "../../model/observability/run-steps/list-run.ts"
import { type AttemptRow, type HistoryRow, listAttempts, listHistory } from "../../store/instances/history.ts"
import type { InstanceRow } from "../../store/instances/instances.ts"
import { listHolders } from "../../store/jobs/jobs.ts"
import { listRunSteps, type RecordedStepRow } from "../../store/runs/run-steps.ts"
import { executionId } from "../../support/ids.ts"
import { isoTime } from "../../support/iso-time.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { getInstanceRow } from "./read-instances.ts"
import { toClosed } from "./read-steps.ts"

export interface StepView {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly stepType: StepType
  readonly attemptNumber: number
  readonly status: StepStatus
  readonly startedAt: string
  readonly endedAt?: string
  readonly failureReason?: string
  readonly output?: unknown
  /** The worker that reported its end, or that has its job now. */
  readonly workerId?: string
  /** Deliveries that ended before, without ending the step; absent where there were none. */
  readonly attempts?: readonly AttemptView[]
}

export interface AttemptView {
  /** The attempt number that the worker was given. */
  readonly attempt: number
  readonly outcome: AttemptRow["outcome"]
  readonly error: string
  readonly endedAt: string
  readonly workerId?: string
}

/** The last of an instance's attempts; a run that is tried again and again for months has more. */
const ATTEMPTS_MAX = 1_000

/** Finished executions and the open ones, in order of their start. */
export async function getHistory(kernel: Kernel, instanceId: string): Promise<readonly StepView[]> {
  const instance = await getInstanceRow(kernel.db, instanceId)
  const [rows, attempts, holders] = await Promise.all([
    listHistory(kernel.db, instanceId),
    attemptsOf(kernel, instanceId),
    instance.completed_at === null ? holdersOf(kernel, instanceId) : new Map<number, string>(),
  ])
  const closed = new Set(rows.map((row) => row.execution))
  const state = instance.state === null ? null : (JSON.parse(instance.state) as InstanceState)
  const definition = await definitionsOf(kernel).version(instance.definition_id, instance.definition_version)
  const open = (state?.open ?? []).filter((step) => !closed.has(step.execution))
  const deliveries = (execution: number, workerId: string | null | undefined) => ({
    ...(workerId ? { workerId } : {}),
    ...(attempts.has(execution) ? { attempts: attempts.get(execution) as AttemptView[] } : {}),
  })
  const executions = [
    ...rows.map((row) => ({ ...viewOfStep(instanceId, row), ...deliveries(row.execution, row.worker_id) })),
    ...open.map((step) => ({
      ...viewOfOpen(instanceId, step, definition?.step(step.stepId).type ?? "SERVICE_TASK"),
      ...deliveries(step.execution, holders.get(step.execution)),
    })),
  ]
  const recorded = definition?.isList ? untold(executions, await listRunSteps(kernel.db, instanceId)) : []
  const run = { instance, definition, failed: failureOf(definition, rows) }
  const steps = [...executions, ...recorded.map((row) => viewOfRunStep(run, row))]
  return steps.sort((a, b) =>
    a.startedAt === b.startedAt ? (a.id < b.id ? -1 : 1) : a.startedAt < b.startedAt ? -1 : 1,
  )
}

/** A user task of a list is an execution of its own: the record of the wait for it says no more, unless it was not answered in time. */
function untold(executions: readonly StepView[], records: readonly RecordedStepRow[]): readonly RecordedStepRow[] {
  const tasks = new Set(executions.filter(({ stepType }) => stepType === "USER_TASK").map(({ stepId }) => stepId))
  return records.filter(({ name, status }) => status === "FAILED" || !tasks.has(name))
}

/** By execution, oldest first. */
async function attemptsOf(kernel: Kernel, instanceId: string): Promise<ReadonlyMap<number, AttemptView[]>> {
  const byExecution = new Map<number, AttemptView[]>()
  for (const row of (await listAttempts(kernel.db, instanceId, ATTEMPTS_MAX)).reverse()) {
    const attempts = byExecution.get(row.execution)
    if (attempts) attempts.push(viewOfAttempt(row))
    else byExecution.set(row.execution, [viewOfAttempt(row)])
  }
  return byExecution
}

async function holdersOf(kernel: Kernel, instanceId: string): Promise<ReadonlyMap<number, string>> {
  return new Map((await listHolders(kernel.db, instanceId)).map((row) => [row.execution, row.worker_id]))
}

const viewOfAttempt = (row: AttemptRow): AttemptView => ({
  attempt: row.epoch,
  outcome: row.outcome,
  error: row.error,
  endedAt: isoTime(row.ended_at),
  ...(row.worker_id === null ? {} : { workerId: row.worker_id }),
})

function viewOfStep(instanceId: string, row: HistoryRow): StepView {
  return {
    id: executionId(instanceId, row.execution),
    instanceId,
    stepId: row.step_id,
    stepType: row.step_type,
    attemptNumber: row.attempt,
    status: row.status,
    startedAt: isoTime(row.started_at),
    endedAt: isoTime(row.ended_at),
    ...(row.failure_reason === null ? {} : { failureReason: row.failure_reason }),
    ...(row.delta === null ? {} : { output: JSON.parse(row.delta) }),
  }
}

interface ListedRun {
  readonly instance: InstanceRow
  readonly definition: CompiledDefinition | undefined
  /** The step that has failed it. */
  readonly failed: FailedStep | undefined
}

function failureOf(definition: CompiledDefinition | undefined, rows: readonly HistoryRow[]): FailedStep | undefined {
  const last = rows.findLast((row) => row.step_id === definition?.id)
  if (last?.status !== "FAILED") return undefined
  const names = elementsOf(definition, () => false)
  return failedStep(toClosed(last), names)
}

/** A step that the worker of a list recorded: its id is its name, for the list itself is the execution. */
const viewOfRunStep = ({ instance, definition, failed }: ListedRun, row: RecordedStepRow): StepView => ({
  id: `${instance.id}/${row.name}`,
  instanceId: instance.id,
  stepId: row.name,
  stepType: definition?.hasStep(row.name) ? definition.step(row.name).type : "SERVICE_TASK",
  attemptNumber: 1,
  startedAt: isoTime(row.started_at),
  // A wait that is over may have refused something before.
  ...(row.error === null || row.status === "COMPLETED" ? {} : { failureReason: row.error }),
  ...(row.status === "WAITING"
    ? standingOfWait(instance, failed?.step === row.name ? failed : undefined)
    : { status: row.status, endedAt: isoTime(row.ended_at) }),
  ...(row.status === "COMPLETED" && row.value !== null ? { output: JSON.parse(row.value) } : {}),
})

/** What a run still waited for when it ended has failed it, or has come to nothing. */
function standingOfWait({ completed_at: endedAt }: InstanceRow, failed: FailedStep | undefined) {
  if (endedAt === null) return { status: "RUNNING" } as const
  if (failed) return { status: "FAILED", endedAt: isoTime(failed.endedAt), failureReason: failed.error } as const
  return { status: "SKIPPED", endedAt: isoTime(endedAt) } as const
}

const viewOfOpen = (instanceId: string, open: OpenStep, stepType: StepType): StepView => ({
  id: executionId(instanceId, open.execution),
  instanceId,
  stepId: open.stepId,
  stepType,
  attemptNumber: open.attempt,
  status: "RUNNING",
  startedAt: isoTime(open.startedAt),
})
