// The variables over time: what the instance was started with, and the state after each step that changed something.
import type { AuditLine } from "../../../api/audit.ts"
import type { StepExecution, Variables } from "../../../api/instance.ts"
import { type Change, changesBetween, isFields } from "../difference.ts"
import { isRecorded } from "../drawn-definition.ts"

export interface VariableState {
  /** Short, for the address. */
  readonly id: string
  readonly kind: "start" | "step" | "retry" | "returned"
  readonly stepId?: string
  readonly at: string
  readonly before: Variables
  readonly after: Variables
  readonly changes: readonly Change[]
}

interface Event {
  readonly id: string
  readonly kind: "step" | "retry" | "returned"
  readonly stepId: string
  readonly at: string
  readonly delta: Variables
}

interface Told {
  readonly instanceId: string
  readonly startedAt: string
  readonly input: Variables
  readonly history: readonly StepExecution[]
  /** Lines of the audit trail: what a retry by hand changed is only there. */
  readonly retries: readonly AuditLine[]
}

export function foldVariables({ instanceId, startedAt, input, history, retries }: Told): readonly VariableState[] {
  const states: VariableState[] = [
    { id: "start", kind: "start", at: startedAt, before: {}, after: input, changes: changesBetween({}, input) },
  ]
  let before = input
  for (const { delta, ...event } of eventsOf(instanceId, history, retries)) {
    // What a step of a list returns goes to the run, which changes the variables when it ends.
    const after = event.kind === "returned" ? before : { ...before, ...delta }
    const changes = changesBetween(pick(before, delta), event.kind === "returned" ? delta : pick(after, delta))
    states.push({ ...event, before, after, changes })
    before = after
  }
  return states
}

/** In the order they were merged; where the moment is the same, in the order they began. */
function eventsOf(
  instanceId: string,
  history: readonly StepExecution[],
  retries: readonly AuditLine[],
): readonly Event[] {
  const steps = history.flatMap((execution): readonly Event[] => {
    const { id, stepId, endedAt, output } = execution
    if (endedAt === undefined || !isFields(output) || Object.keys(output).length === 0) return []
    const kind = isRecorded(instanceId, execution) ? "returned" : "step"
    return [{ id: id.slice(instanceId.length + 1), kind, stepId, at: endedAt, delta: output }]
  })
  const byHand = retries.flatMap(({ seq, at, detail }): readonly Event[] =>
    isFields(detail.variables)
      ? [{ id: `retry-${seq}`, kind: "retry", stepId: String(detail.stepId), at, delta: detail.variables }]
      : [],
  )
  // A retry changes the variables before it enters the step again.
  return [...byHand, ...steps].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

const pick = (from: Variables, names: Variables): Variables =>
  Object.fromEntries(Object.keys(names).flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]]] : [])))

/** A step was retried by hand: the audit trail may contain variables. */
export const wasRetried = (history: readonly StepExecution[]): boolean =>
  history.some(
    ({ stepId, status }, index) =>
      status === "FAILED" && history.slice(index + 1).some((later) => later.stepId === stepId),
  )
