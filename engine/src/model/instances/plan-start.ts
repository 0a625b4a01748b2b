// The first plan of an instance: record it, set its deadline, move a token into the entry step.
import { type Draft, record } from "./draft.ts"
import { moveTokens, passOver } from "./enter-step.ts"
import type { Restart } from "./restart.ts"

export function planStart(draft: Draft, actor: string, restart?: Restart): void {
  const { id: definitionId, version, entry, isList } = draft.definition
  record(draft, "INSTANCE_STARTED", actor, { definitionId, version, ...(restart ? ancestryOf(restart) : {}) })
  startDeadline(draft)
  const from = restart?.stepId
  // A list begins as a whole. That it has a first part behind it tells its worker to look at what is on record.
  if (isList && from !== undefined) passOver(draft, entry.id)
  moveTokens(draft, [{ stepId: isList ? entry.id : (from ?? entry.id), fork: 0 }])
}

const ancestryOf = ({ of: restartOf, stepId: fromStep }: Restart) => ({
  restartOf,
  ...(fromStep === undefined ? {} : { fromStep }),
})

/** From now on: a manual retry gives the instance its time anew, as it gives the job its full budget. */
export function startDeadline(draft: Draft): void {
  const { deadlineMs } = draft.definition
  if (deadlineMs !== undefined) draft.newTimers.push({ execution: 0, timer: "deadline", dueInMs: deadlineMs })
}
