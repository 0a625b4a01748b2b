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
  signal: isLive(instance) ? unique(withoutEchoes(reasons).filter(isOf("signal")).flatMap(signalsOf)) : [],
  task: isLive(instance) ? unique(reasons.filter(isOf("user-task")).map(({ stepId = "" }) => stepId)) : [],
  cancel: isLive(instance),
})

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

const isOf =
  (kind: string) =>
  (reason: WaitingReason): boolean =>
    reason.kind === kind

/** A run names what it waits for; the end of a child is not a signal that can be sent. */
export function signalsOf({ stepId, detail }: WaitingReason): readonly string[] {
  const names = Array.isArray(detail.signals) ? detail.signals.map(String) : stepId === undefined ? [] : [stepId]
  return names.filter((name) => !name.startsWith("end of "))
}

/** A run that asked for a user task waits for word of it; what ends the wait is the task. */
export function withoutEchoes(reasons: readonly WaitingReason[]): readonly WaitingReason[] {
  const tasks = new Set(reasons.filter(isOf("user-task")).map(({ stepId }) => stepId))
  const isEcho = (reason: WaitingReason) => {
    const names = reason.kind === "signal" ? signalsOf(reason) : []
    return names.length > 0 && names.every((name) => tasks.has(name))
  }
  return reasons.filter((reason) => !isEcho(reason))
}

/** Those that ended with the instance. One that failed before let it go on. */
function failedSteps({ id, completedAt }: Instance, history: readonly StepExecution[]): readonly string[] {
  const failed = history.filter((execution) => execution.status === "FAILED" && !isRecorded(id, execution))
  const withIt = failed.filter(({ endedAt }) => endedAt === completedAt)
  return unique((withIt.length > 0 ? withIt : failed.slice(-1)).map(({ stepId }) => stepId))
}
