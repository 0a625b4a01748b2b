// An instance as the wire shows it.

import type { Priority } from "../../model/definitions/definition.ts"
import type { InstanceState } from "../../model/instances/instance.ts"
import type { InstanceStatus } from "../../model/instances/instance-machine.ts"
import type { InstanceRow, OneInstanceRow } from "../../store/instances/instances.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject } from "../../support/json.ts"

export interface InstanceView {
  readonly id: string
  readonly definitionId: string
  readonly definitionVersion: number
  readonly status: InstanceStatus
  readonly currentStepIds: readonly string[]
  readonly variables: JsonObject
  /** What it was started with; only where one instance is asked for. */
  readonly input?: JsonObject
  readonly startedAt: string
  readonly completedAt?: string
  readonly failureReason?: string
  readonly businessKey?: string
  /** The key that its run was started with. */
  readonly key?: string
  readonly linkingId?: string
  readonly parentId?: string
  /** The run that undoes it. */
  readonly undoneBy?: string
  /** The instance whose place it has taken by a restart, and the one that has taken its place: only where one is asked for. */
  readonly restartOf?: string
  readonly restartedAs?: string
  readonly priority: Priority
}

/** Step ids of the open steps, each once, oldest first. */
export const currentStepIds = (state: Pick<InstanceState, "open"> | null): readonly string[] => [
  ...new Set((state?.open ?? []).map((open) => open.stepId)),
]

export function viewOfRow(row: InstanceRow): InstanceView {
  const state = row.state === null ? null : (JSON.parse(row.state) as InstanceState)
  return {
    id: row.id,
    definitionId: row.definition_id,
    definitionVersion: row.definition_version,
    status: row.status,
    currentStepIds: currentStepIds(state),
    variables: JSON.parse(row.variables) as JsonObject,
    startedAt: isoTime(row.started_at),
    priority: row.priority,
    ...(row.completed_at === null ? {} : { completedAt: isoTime(row.completed_at) }),
    ...(row.failure_reason === null ? {} : { failureReason: row.failure_reason }),
    ...(row.business_key === null ? {} : { businessKey: row.business_key }),
    ...(row.key == null ? {} : { key: row.key }),
    ...(row.linking_id === null ? {} : { linkingId: row.linking_id }),
    ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
    ...(row.undone_by == null ? {} : { undoneBy: row.undone_by }),
  }
}

/** The one view that has the input too: in a list it would double what is sent. And the restarts, which a list does not look for. */
export function viewOfOne(row: OneInstanceRow): InstanceView {
  const view = viewOfRow(row)
  return {
    ...view,
    input: row.input === null ? view.variables : (JSON.parse(row.input) as JsonObject),
    ...(row.restart_of === null ? {} : { restartOf: row.restart_of }),
    ...(row.restarted_as === null ? {} : { restartedAs: row.restarted_as }),
  }
}

/** What a plan changes of an instance. */
export interface PlannedChange {
  readonly status: InstanceStatus
  readonly state: Pick<InstanceState, "open">
  readonly delta: JsonObject | undefined
  readonly finish: { readonly reason?: string | undefined } | undefined
}

/** The instance as a plan leaves it, from its row as the plan has found it: the writes of a transaction come at its end. */
export function viewAfter(row: OneInstanceRow, { status, state, delta, finish }: PlannedChange, nowMs: number) {
  const variables = delta ? JSON.stringify({ ...(JSON.parse(row.variables) as JsonObject), ...delta }) : row.variables
  return viewOfOne({
    ...row,
    status,
    state: JSON.stringify({ open: state.open }),
    variables,
    input: row.input ?? row.variables,
    completed_at: finish ? nowMs : null,
    failure_reason: finish?.reason ?? null,
  })
}
