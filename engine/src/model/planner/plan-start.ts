// The first plan of an instance: record it, set its deadline, move a token into the entry step.
import { type Draft, record } from "./draft.ts"
import { moveTokens } from "./enter-step.ts"

export function planStart(draft: Draft, actor: string): void {
  record(draft, "INSTANCE_STARTED", actor, { definitionId: draft.definition.id, version: draft.definition.version })
  const { deadlineMs } = draft.definition
  if (deadlineMs !== undefined) draft.newTimers.push({ execution: 0, timer: "deadline", dueInMs: deadlineMs })
  moveTokens(draft, [{ stepId: draft.definition.entry.id, fork: 0 }])
  // The deadline was never written if the instance ended within its first plan.
  if (draft.finish) draft.newTimers = draft.newTimers.filter((timer) => timer.execution !== 0)
}
