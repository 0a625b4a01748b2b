// Manual retry: a FAILED instance becomes live again at the step that failed it.

import type { Transaction } from "../../db/transaction.ts"
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { inputViolations } from "../../model/definitions/schemas/told-schemas.ts"
import { finishDraft, openDraft } from "../../model/instances/draft.ts"
import { emptyState, type InstanceState } from "../../model/instances/instance.ts"
import { planRetry } from "../../model/instances/plan-human.ts"
import { deleteDeadSteps } from "../../store/dead-letters/dead-letters.ts"
import { findBusinessKeyHolders, insertBusinessKeys } from "../../store/instances/business-keys.ts"
import {
  deleteFinishedInstance,
  insertFinishedInstances,
  type LockedFinishedRow,
  lockFinishedInstance,
} from "../../store/instances/finished-instances.ts"
import { findInstance, insertInstances } from "../../store/instances/instances.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { assert } from "../../support/assert.ts"
import { badRequest, businessKeyTaken, conflict, notFound } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { checkSize } from "../kernel/check-size.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { announcement, ensureQueuesOf, finishColumns, type PlannedInstance, writeEffects } from "./apply-plans.ts"
import { type InstanceView, viewAfter, viewOfOne } from "./instance-view.ts"
import { planContext } from "./plan-context.ts"
import { getInstanceRow } from "./read-instances.ts"

export interface RetryRequest {
  readonly instanceId: string
  /** Undefined is the step that failed it. */
  readonly stepId?: string | undefined
  readonly variables?: JsonObject | undefined
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

/** The instance as it is then. */
export async function retryInstance(kernel: Kernel, request: RetryRequest): Promise<Done<InstanceView>> {
  const { instanceId, requestKey } = request
  if (!isUlid(instanceId)) throw notFound(`there is no instance ${instanceId.slice(0, 64)}`)
  if (request.variables) checkSize(kernel.settings, JSON.stringify(request.variables), "the variables")
  const work = async (tx: Transaction) => {
    const { plan, nowMs } = await retryWithin(kernel, tx, request)
    return viewAfter(await getInstanceRow(tx, instanceId), plan, nowMs)
  }
  return kernel.db.transaction((tx) =>
    once(tx, requestKey, {
      work: () => work(tx),
      readOld: async () => viewOfOne(await getInstanceRow(tx, instanceId)),
    }),
  )
}

/** The dead letter of the step that failed goes with the failure. */
export async function retryWithin(kernel: Kernel, tx: Transaction, request: RetryRequest): Promise<PlannedInstance> {
  const row = await lockFinishedInstance(tx, request.instanceId)
  if (!row) return refuseMissing(kernel, request)
  if (row.undone_by !== null) throw isUndone(row)
  const planned = await planAgain(kernel, row, request)
  await ensureQueuesOf(kernel, [planned])
  await takeBusinessKey(tx, planned)
  deleteFinishedInstance(tx, row.id)
  deleteDeadSteps(tx, row.id)
  writeBack(tx, row, planned)
  writeEffects(kernel, tx, [planned])
  tx.afterCommit(announcement(kernel, [planned]))
  return planned
}

/** Its steps are undone, or about to be: to do only the rest of them would be wrong. */
const isUndone = ({ id, undone_by }: LockedFinishedRow) =>
  conflict(
    `run ${undone_by} undoes what ${id} has done, so it cannot go on: restart it with run.restart(), POST /v1/instances/${id}/restart or millrace instances restart ${id}`,
  )

async function refuseMissing(kernel: Kernel, { instanceId, stepId }: RetryRequest): Promise<never> {
  const live = await findInstance(kernel.db.aside, instanceId)
  if (!live) throw notFound(`there is no instance ${instanceId}`)
  const at = stepId === undefined ? "" : ` at ${stepId}`
  throw conflict(`the instance is ${live.status}: only a FAILED one can be retried${at}`)
}

/** What a run of code goes on with must fit its input, as what it was started with: by the list that its workers have now. */
async function judgeInput(kernel: Kernel, started: CompiledDefinition, input: JsonObject): Promise<void> {
  if (!started.isList || inputViolations(started, input).length === 0) return
  definitionsOf(kernel).forgetLatest(started.id)
  const violations = inputViolations((await definitionsOf(kernel).latest(started.id)) ?? started, input)
  if (violations.length > 0) throw badRequest(`the variables do not fit the input schema of ${started.id}`, violations)
}

async function planAgain(kernel: Kernel, row: LockedFinishedRow, request: RetryRequest): Promise<PlannedInstance> {
  const definition = await definitionsOf(kernel).version(row.definition_id, row.definition_version)
  assert(definition, `definition ${row.definition_id}@${row.definition_version} is stored`)
  const nowMs = Math.floor(row.now)
  const variables = JSON.parse(row.variables ?? row.input) as JsonObject
  if (request.variables) await judgeInput(kernel, definition, { ...variables, ...request.variables })
  const state = row.state === null ? emptyState : (JSON.parse(row.state) as InstanceState)
  const businessKey = row.business_key ?? undefined
  const { id, status, priority, version } = row
  const draft = openDraft(
    definition,
    { id, status, priority, businessKey, state, variables, hasVariables: true, version },
    planContext(kernel, nowMs),
  )
  planRetry(draft, { stepId: request.stepId, variables: request.variables }, request.actor)
  return { id, definition, businessKey, priority, version, plan: finishDraft(draft), nowMs }
}

/** Its business key may have gone to another instance meanwhile. */
async function takeBusinessKey(tx: Transaction, { id, definition, businessKey, plan }: PlannedInstance): Promise<void> {
  if (businessKey === undefined || plan.finish) return
  const key = { definitionId: definition.id, businessKey, instanceId: id }
  const won = await insertBusinessKeys(tx, [key])
  if (won.has(id)) return
  const [holder] = await findBusinessKeyHolders(tx, [key])
  throw businessKeyTaken(key, holder)
}

function writeBack(tx: Transaction, row: LockedFinishedRow, { plan, nowMs }: PlannedInstance): void {
  const variables = JSON.parse(row.variables ?? row.input) as JsonObject
  const back = {
    id: row.id,
    definitionId: row.definition_id,
    definitionVersion: row.definition_version,
    status: plan.status,
    priority: row.priority,
    businessKey: row.business_key,
    linkingId: row.linking_id,
    parentId: row.parent_id,
    input: row.input,
    variables: plan.delta ? JSON.stringify({ ...variables, ...plan.delta }) : row.variables,
    version: plan.version,
    readsVariables: row.reads_variables,
    startedAt: row.started_at,
    trace: row.trace_context ?? undefined,
  }
  if (plan.finish) insertFinishedInstances(tx, [{ ...back, ...finishColumns(plan, nowMs) }])
  else insertInstances(tx, [{ ...back, state: JSON.stringify(plan.state) }])
}
