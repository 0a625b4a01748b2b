// What can be done to an instance as it stands.
import type { StepExecution, WaitingReason } from "../../api/instance.ts"
import { type Instance, isLive } from "../../api/instances.ts"
import { isRecorded } from "./drawn-definition.ts"

export interface PossibleActions {
  /** Steps that failed it: any of them can be retried. */
  readonly retry: readonly string[]
  readonly signal: readonly string[]
  /** Steps with an open user task. */
  readonly task: readonly string[]
  readonly cancel: boolean
}

export const possibleActions = (
  instance: Instance,
  history: readonly StepExecution[],
  reasons: readonly WaitingReason[],
): PossibleActions => ({
  retry: instance.status === "FAILED" ? failedSteps(instance, history) : [],
  signal: isLive(instance) ? unique(reasons.filter(isOf("signal")).flatMap(signalsOf)) : [],
  task: isLive(instance) ? unique(reasons.filter(isOf("user-task")).map(({ stepId = "" }) => stepId)) : [],
  cancel: isLive(instance),
})

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

const isOf =
  (kind: string) =>
  (reason: WaitingReason): boolean =>
    reason.kind === kind

export const signalsOf = ({ detail: { signals } }: WaitingReason): readonly string[] =>
  Array.isArray(signals) ? signals.map(String) : []

/** Those that ended with the instance. One that failed before let it go on. */
function failedSteps({ id, completedAt }: Instance, history: readonly StepExecution[]): readonly string[] {
  const failed = history.filter((execution) => execution.status === "FAILED" && !isRecorded(id, execution))
  const withIt = failed.filter(({ endedAt }) => endedAt === completedAt)
  return unique((withIt.length > 0 ? withIt : failed.slice(-1)).map(({ stepId }) => stepId))
}
