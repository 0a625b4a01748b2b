// The second stage of a start: the first plan of an instance, its row, and the answer that its caller gets.
import { finishDraft, openDraft } from "../../../model/instances/draft.ts"
import { emptyState } from "../../../model/instances/instance.ts"
import { planStart } from "../../../model/instances/plan-start.ts"
import { textBytes } from "../../../model/instances/variable-sizes.ts"
import type { NewInstanceRow } from "../../../store/instances/instances.ts"
import { isoTime } from "../../../support/iso-time.ts"
import type { JsonObject } from "../../../support/json.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { PlannedInstance } from "../apply-plans.ts"
import { currentStepIds, type InstanceView } from "../instance-view.ts"
import { planContext } from "../plan-context.ts"
import type { PreparedStart } from "./start-request.ts"

export interface PlannedStart {
  readonly prepared: PreparedStart
  readonly planned: PlannedInstance
  readonly row: NewInstanceRow
  /** The variables after the first plan. */
  readonly variables: JsonObject
}

export function planNew(kernel: Kernel, prepared: PreparedStart): PlannedStart {
  const { request, definition, input } = prepared
  // The time first: an id is never older than its start, or a filter by time would miss it.
  const nowMs = kernel.clock.nowMs()
  const id = request.id ?? kernel.newId()
  const priority = request.priority ?? definition.definition.priority ?? "normal"
  const { businessKey, variables } = request
  const bytes = textBytes(input)
  const state = { ...emptyState, bytes, ...(request.awaitedBy ? { awaitedBy: request.awaitedBy } : {}) }
  const hasVariables = request.variablesText === undefined || !definition.isList
  const draft = openDraft(
    definition,
    { id, status: "ACTIVE", priority, businessKey, state, variables, hasVariables, version: 0 },
    planContext(kernel, nowMs),
  )
  planStart(draft, request.actor, request.restart)
  const planned = { id, definition, businessKey, priority, version: 0, plan: finishDraft(draft), nowMs }
  const merged = draft.delta ? draft.variables : undefined
  return { prepared, planned, row: rowOf(prepared, planned, merged), variables: merged ?? variables }
}

function rowOf(
  { request, input }: PreparedStart,
  planned: PlannedInstance,
  merged: JsonObject | undefined,
): NewInstanceRow {
  const { id, definition, plan } = planned
  return {
    id,
    definitionId: definition.id,
    definitionVersion: definition.version,
    status: plan.status,
    priority: planned.priority,
    businessKey: request.businessKey ?? null,
    linkingId: request.linkingId ?? null,
    parentId: request.parentId ?? null,
    input,
    variables: merged ? JSON.stringify(merged) : null,
    state: JSON.stringify(plan.state),
    version: plan.version,
    readsVariables: definition.readsVariables,
    startedAt: planned.nowMs,
    trace: request.trace,
  }
}

export function viewOf({ prepared: { request }, planned, variables }: PlannedStart): InstanceView {
  const { id, definition, plan, nowMs, priority } = planned
  return {
    id,
    definitionId: definition.id,
    definitionVersion: definition.version,
    status: plan.status,
    currentStepIds: currentStepIds(plan.state),
    variables,
    startedAt: isoTime(nowMs),
    priority,
    ...(plan.finish ? { completedAt: isoTime(nowMs) } : {}),
    ...(plan.finish?.reason === undefined ? {} : { failureReason: plan.finish.reason }),
    ...(request.businessKey === undefined ? {} : { businessKey: request.businessKey }),
    ...(request.linkingId === undefined ? {} : { linkingId: request.linkingId }),
    ...(request.parentId === undefined ? {} : { parentId: request.parentId }),
    ...(request.restart === undefined ? {} : { restartOf: request.restart.of }),
  }
}
