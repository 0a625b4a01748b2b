// The first plan of an instance: record it, set its deadline, move a token into the entry step.
import { type Draft, record } from "./draft.ts"
import { moveTokens } from "./enter-step.ts"

export function planStart(draft: Draft, actor: string): void {
  record(draft, "INSTANCE_STARTED", actor, { definitionId: draft.definition.id, version: draft.definition.version })
  startDeadline(draft)
  moveTokens(draft, [{ stepId: draft.definition.entry.id, fork: 0 }])
}

/** From now on: a manual retry gives the instance its time anew, as it gives the job its full budget. */
export function startDeadline(draft: Draft): void {
  const { deadlineMs } = draft.definition
  if (deadlineMs !== undefined) draft.newTimers.push({ execution: 0, timer: "deadline", dueInMs: deadlineMs })
}
