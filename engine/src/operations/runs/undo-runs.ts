// A run that fails for good or is cancelled, and has done steps that can be undone, is undone by a run of its own. That run is
// written in the transaction that ends the first: there is no moment in which the one has ended and the other is not there.
import type { Transaction } from "../../db/transaction.ts"
import type { Plan, RunStep } from "../../model/instances/plan.ts"
import { type CarriedStep, type UndoInput, undoIdOf, undoInput, undoKeyOf } from "../../model/instances/undo.ts"
import { lockFinishedInstance } from "../../store/instances/finished-instances.ts"
import { readVariables } from "../../store/instances/instances.ts"
import { insertChildCancels } from "../../store/instances/requests.ts"
import { lockRunJobs } from "../../store/runs/run-lease.ts"
import { insertRunSteps, listRunSteps, type RecordedStepRow } from "../../store/runs/run-steps.ts"
import { EngineError } from "../../support/errors.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { PlannedInstance } from "../instances/apply-plans.ts"
import { takeIntake } from "../instances/start/take-intake.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** The plans with the undo runs that they bring about; their instances are locked. */
export async function planUndos(
  kernel: Kernel,
  tx: Transaction,
  all: readonly PlannedInstance[],
): Promise<readonly PlannedInstance[]> {
  if (!all.some(endsUnhappily)) return all
  const planned: PlannedInstance[] = []
  for (const one of all) planned.push(endsUnhappily(one) ? await withUndo(kernel, tx, one) : one)
  cancelChildren(kernel, tx, planned)
  return planned
}

const endsUnhappily = ({ definition, plan }: PlannedInstance): boolean =>
  definition.mayUndo && (plan.finish?.status === "FAILED" || plan.finish?.status === "CANCELLED")

async function withUndo(kernel: Kernel, tx: Transaction, planned: PlannedInstance): Promise<PlannedInstance> {
  const { id, plan, definition } = planned
  await lockRunJobs(tx, id)
  const [rows, input] = await Promise.all([listRunSteps(tx, id), readVariables(tx, id)])
  const run = { id, definitionId: definition.id, ...endOf(plan), input: JSON.parse(input) as JsonObject }
  const variables = undoInput(run, rows.map(toCarried))
  if (!variables) return planned
  const undoId = await startUndo(kernel, tx, { of: planned, variables, key: undoKeyOf(id) })
  return undoId === undefined ? planned : { ...planned, undoneBy: undoId, plan: tellingOf(plan, undoId) }
}

const endOf = ({ status, finish }: Plan) => ({ status: status as "FAILED" | "CANCELLED", reason: finish?.reason })

const toCarried = ({ name, status, value, error, undo }: RecordedStepRow): CarriedStep => ({
  name,
  status,
  undo,
  ...(value === null ? {} : { value: JSON.parse(value) as JsonValue }),
  ...(error === null ? {} : { error }),
})

/** The trail of the run ends with the name of the run that undoes it. */
const tellingOf = (plan: Plan, undoId: string): Plan => ({
  ...plan,
  version: plan.version + 1,
  audit: [...plan.audit, { kind: "UNDO_STARTED", actor: "engine", detail: { undoId } }],
})

interface NewUndo {
  readonly of: Pick<PlannedInstance, "id" | "priority"> & { readonly definition: { readonly id: string } }
  readonly variables: UndoInput
  readonly key: string
}

/** Undefined where its definition was never uploaded: the end of a run does not fail for that. */
async function startUndo(
  kernel: Kernel,
  tx: Transaction,
  { of, variables, key }: NewUndo,
): Promise<string | undefined> {
  const id = kernel.newId()
  const definitionId = undoIdOf(of.definition.id)
  const request = { id, definitionId, key, payload: variables, parentId: of.id, priority: of.priority }
  try {
    await takeIntake(kernel, { ...request, isInherited: true, actor: "engine" }, tx)
    return id
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "not-found") throw error
    kernel.log.error({ err: error, instanceId: of.id }, "a run has steps to undo, and its workers have no undo of them")
    return undefined
  }
}

/** Only for runs that do not go on. A failed run that can be retried still needs its children. */
function cancelChildren(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const parents = all.filter(
    ({ definition, plan, undoneBy }) =>
      definition.isFunction && (plan.finish?.status === "CANCELLED" || undoneBy !== undefined),
  )
  if (parents.length === 0) return
  insertChildCancels(
    tx,
    parents.map(({ id, undoneBy }) => ({ id, undoneBy })),
  )
  tx.afterCommit(() => kernel.nudge("requests", 0))
}

export interface LateStep {
  readonly instanceId: string
  readonly step: RunStep
}

/**
 * A worker has done a step, and learns that its run was ended meanwhile: the step is on record nowhere, so that the undo run does
 * not know of it. It is recorded and undone by a run of its own, unless the run may still go on and do the step again.
 */
export const undoLateStep = (kernel: Kernel, { instanceId, step }: LateStep): Promise<boolean> =>
  kernel.db.transaction(async (tx) => {
    const { name, value } = step
    const row = await lockFinishedInstance(tx, instanceId)
    if (!row || row.status === "COMPLETED" || (row.status === "FAILED" && row.undone_by === null)) return false
    const known = await listRunSteps(tx, instanceId)
    if (known.some((one) => one.name === name && one.status === "COMPLETED")) return false
    const input = JSON.parse(row.variables ?? row.input) as JsonObject
    const run = { id: instanceId, definitionId: row.definition_id, status: row.status as "FAILED", input }
    const late = { name, status: "COMPLETED", undo: true, ...(value === undefined ? {} : { value }) } as const
    const variables = undoInput({ ...run, reason: undefined }, [...known.map(toCarried).map(asDone), late])
    if (!variables) return false
    const of = { id: instanceId, definition: { id: row.definition_id }, priority: row.priority }
    await startUndo(kernel, tx, { of, variables, key: undoKeyOf(instanceId, name) })
    insertRunSteps(tx, [{ instanceId, step, endedAt: kernel.clock.nowMs() }])
    return true
  })

/** The other steps have been undone already; they are carried for functions, which find their way by them. */
const asDone = (step: CarriedStep): CarriedStep => ({ ...step, undo: false })
