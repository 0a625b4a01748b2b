// What can be done to an instance as it stands.
import type { Definition } from "../../api/definitions.ts"
import type { StepExecution, WaitingReason } from "../../api/instance.ts"
import { type Instance, isLive } from "../../api/instances.ts"

export interface PossibleActions {
  /** Steps that failed it: any of them can be retried. */
  readonly retry: readonly string[]
  readonly signal: readonly string[]
  /** Steps with an open user task. */
  readonly task: readonly string[]
  readonly cancel: boolean
  readonly restart: boolean
}

export const possibleActions = (
  instance: Instance,
  history: readonly StepExecution[],
  reasons: readonly WaitingReason[],
): PossibleActions => ({
  // What its steps did is undone: to do the rest of them alone would be wrong.
  retry: instance.status === "FAILED" && instance.undoneBy === undefined ? failedSteps(instance, history) : [],
  signal: isLive(instance) ? unique(reasons.filter(isOf("signal")).flatMap(signalsOf)) : [],
  task: isLive(instance) ? unique(reasons.filter(isOf("user-task")).map(({ stepId = "" }) => stepId)) : [],
  cancel: isLive(instance),
  restart: !isLive(instance),
})

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

const isOf =
  (kind: string) =>
  (reason: WaitingReason): boolean =>
    reason.kind === kind

export const signalsOf = ({ detail: { signals } }: WaitingReason): readonly string[] =>
  Array.isArray(signals) ? signals.map(String) : []

/** Steps that failed when the instance ended. It went on after earlier failures. A run may also fail by its input, at no step. */
function failedSteps({ definitionId, completedAt }: Instance, history: readonly StepExecution[]): readonly string[] {
  const failed = history.filter(({ status, isTolerated }) => status === "FAILED" && !isTolerated)
  const withIt = failed.filter(({ endedAt }) => endedAt === completedAt)
  const names = unique((withIt.length > 0 ? withIt : failed.slice(-1)).map(({ stepId }) => stepId))
  return names.length > 0 ? names : [definitionId]
}

/** A list or a function is retried as a whole, whichever of its steps failed: it goes on from what is on record. */
export const retriedStep = ({ id, execution, metadata }: Definition, stepId: string): string =>
  execution === "steplist" || metadata?.form === "function" ? id : stepId
