// The ends of an instance: completed by an END or when no token is left, failed, cancelled; each with everything below it.

import type { JsonObject } from "../../support/json.ts"
import { closeStep, type Draft, record, withdrawWork } from "./draft.ts"
import type { OpenStep } from "./instance.ts"
import type { Finish } from "./plan.ts"

const ENGINE = "engine"

/** After the tokens have moved: complete when none is left, else say whether it waits for a person or a signal. */
export function settle(draft: Draft): void {
  if (draft.open.length === 0) return completeInstance(draft)
  const waits = draft.open.some((open) => ["USER_TASK", "WAIT"].includes(draft.definition.step(open.stepId).type))
  draft.status = waits ? "WAITING" : "ACTIVE"
}

/** An END may be reached while other paths are under way: they stop here. */
export function completeInstance(draft: Draft): void {
  const { autoStartNextWorkflow, nextWorkflowId } = draft.definition.definition
  const stopped = draft.open
  skipAll(draft)
  draft.forks = []
  record(draft, "INSTANCE_COMPLETED", ENGINE, named("skipped", stopped))
  end(draft, { status: "COMPLETED" })
  if (autoStartNextWorkflow && nextWorkflowId) draft.next = { definitionId: nextWorkflowId, variables: draft.variables }
}

/** Every other open step stops with the instance; where they stood is kept, so that a manual retry can go on. */
export function failInstance(draft: Draft, reason: string, failed: readonly OpenStep[], actor = ENGINE): void {
  const stopped = draft.open
  const cut = [...failed.map((open) => cutOf(open, true)), ...stopped.map((open) => cutOf(open, false))]
  // The tasks of a list are opened by its run, when it comes to them again.
  draft.cut = draft.definition.isList ? cut.filter(({ stepId }) => stepId === draft.definition.entry.id) : cut
  skipAll(draft)
  record(draft, "INSTANCE_FAILED", actor, { reason, ...named("skipped", stopped) })
  end(draft, { status: "FAILED", reason })
}

export function cancelInstance(draft: Draft, reason: string | undefined, actor: string): void {
  const stopped = draft.open
  skipAll(draft)
  draft.forks = []
  record(draft, "INSTANCE_CANCELLED", actor, { ...(reason ? { reason } : {}), ...named("skipped", stopped) })
  end(draft, { status: "CANCELLED", ...(reason ? { reason } : {}) })
}

export function skipAll(draft: Draft, steps: readonly OpenStep[] = draft.open): void {
  for (const open of steps) {
    closeStep(draft, open, { status: "SKIPPED" })
    withdrawWork(draft, open)
  }
}

function end(draft: Draft, finish: Finish): void {
  draft.status = finish.status
  draft.finish = finish
  if (draft.awaitedBy) draft.ending = { ...draft.awaitedBy, payload: endOf(draft, finish) }
  if (draft.definition.deadlineMs === undefined) return
  draft.newTimers = draft.newTimers.filter((timer) => timer.execution !== 0)
  draft.endedTimers.push(0)
}

/** What a function returned, or the context a list has built up. */
function endOf({ definition, delta }: Draft, { status, reason }: Finish): JsonObject {
  const result = (definition.isFunction ? delta?.result : delta) ?? null
  return { status, ...(reason === undefined ? {} : { reason }), ...(status === "COMPLETED" ? { result } : {}) }
}

const cutOf = ({ stepId, fork, attempt, execution, effect = execution }: OpenStep, failed: boolean) => ({
  stepId,
  fork,
  attempt,
  failed,
  effect,
})

const named = (key: string, steps: readonly OpenStep[]) =>
  steps.length === 0 ? {} : { [key]: steps.map((open) => open.stepId) }
